/* Passkeys: allauth's scripts do the work for the form that says which; here is said when a device gives none. */
(() => {
  "use strict";

  const form = document.querySelector("form[data-passkey]");
  window.allauth.webauthn.forms[form.dataset.passkey]({ ids: JSON.parse(form.dataset.ids) });

  document.addEventListener("allauth.error", (event) => {
    // Said on the page: the console is nobody's.
    event.preventDefault();
    const failed = document.getElementById("passkey-failed");
    failed.hidden = false;
    failed.scrollIntoView({ block: "nearest" });
  });
})();
