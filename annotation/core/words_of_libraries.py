"""Words of Django and allauth that people read on our pages: translated by our catalogues, in the terms of the others.

Their own translations say *Email*, *sandi*, *Ingat Saya* where all other pages say otherwise. The strings are theirs,
to the letter; `tests/annotation/core/test_words_of_libraries.py` says when one is gone.
"""

from django.utils.translation import gettext_noop as _
from django.utils.translation import ngettext_lazy

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
    _("Enter a valid value."),
    _("Enter a valid URL."),
    _("Enter a number."),
    _("Enter a whole number."),
    _("Enter a valid date."),
    _("Select a valid choice. %(value)s is not one of the available choices."),
    _("Enter a list of values."),
    _("Null characters are not allowed."),
    _("No file was submitted. Check the encoding type on the form."),
    _("No file was submitted."),
    _("The submitted file is empty."),
    _("Ensure this value is less than or equal to %(limit_value)s."),
    _("Ensure this value is greater than or equal to %(limit_value)s."),
    _("English"),
    _("Indonesian"),
)
# Those that count something.
COUNTING_WORDS = (
    ngettext_lazy(
        "Ensure this value has at least %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at least %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
    ngettext_lazy(
        "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
        "limit_value",
    ),
    ngettext_lazy(
        "Ensure that there are no more than %(max)s digit in total.",
        "Ensure that there are no more than %(max)s digits in total.",
        "max",
    ),
    ngettext_lazy(
        "Ensure that there are no more than %(max)s decimal place.",
        "Ensure that there are no more than %(max)s decimal places.",
        "max",
    ),
    ngettext_lazy(
        "Ensure that there are no more than %(max)s digit before the decimal point.",
        "Ensure that there are no more than %(max)s digits before the decimal point.",
        "max",
    ),
)
