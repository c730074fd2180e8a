"""Mail: whether it leaves this machine, how addresses are proven then, and which addresses are one mailbox."""

# Backends that write messages to a terminal, a log or a file, or nowhere.
LOCAL_BACKENDS = ("console", "dummy", "filebased")
# Their addresses are the same mailbox with dots and without.
DOTLESS_HOSTS = ("gmail.com", "googlemail.com")


def delivers_mail(backend: str) -> bool:
    """Whether this EMAIL_BACKEND sends what it is given to its address."""
    return backend.rpartition(".")[0].rpartition(".")[2] not in LOCAL_BACKENDS


def email_verification(backend: str) -> str:
    """ACCOUNT_EMAIL_VERIFICATION: an address is confirmed by a message to it wherever one can arrive."""
    return "mandatory" if delivers_mail(backend) else "optional"


def mailbox(email: str) -> str:
    """The mailbox of a canonical address: `lead+x@example.org` is delivered to `lead@example.org`."""
    name, _, host = email.rpartition("@")
    name = name.partition("+")[0] or name
    if host in DOTLESS_HOSTS:
        name, host = name.replace(".", ""), DOTLESS_HOSTS[0]
    return f"{name}@{host}"
