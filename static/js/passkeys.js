/* Passkeys: allauth's scripts do the work; here is said when a device gives none. */
(() => {
  "use strict";

  document.addEventListener("allauth.error", (event) => {
    // Said on the page: the console is nobody's.
    event.preventDefault();
    const failed = document.getElementById("passkey-failed");
    failed.hidden = false;
    failed.scrollIntoView({ block: "nearest" });
  });
})();
