"""Words of Django and allauth that people read on our pages: translated by our catalogues, in the terms of the others.

Their own translations say *Email*, *sandi*, *Ingat Saya* where all other pages say otherwise. The strings are theirs,
to the letter; `tests/annotation/core/test_words_of_libraries.py` says when one is gone.
"""

from django.utils.translation import gettext_noop as _

WORDS = (
    _("Email"),
    _("Email address"),
    _("Remember Me"),
    _("Forgot your password?"),
    _("Current Password"),
    _("New Password"),
    _("New Password (again)"),
    _("Password (again)"),
    _("Incorrect password."),
    _("Incorrect code."),
    _("The email address and/or password you specified are not correct."),
    _("Too many failed login attempts. Try again later."),
    _("This account is currently inactive."),
    _("A user is already registered with this email address."),
    _("Please type your current password."),
    _("You must type the same password each time."),
    _("The password reset token was invalid."),
    _("The new value must be different from the current one."),
    _("Be patient, you are sending too many requests."),
    _("The password is too similar to the %(verbose_name)s."),
    _("This password is too common."),
    _("This password is entirely numeric."),
    _("Your password can’t be too similar to your other personal information."),
    _("Your password can’t be a commonly used password."),
    _("Your password can’t be entirely numeric."),
    _("Enter a valid email address."),
    _("This field is required."),
    _("English"),
    _("Indonesian"),
)
