"""What people send: sign-up, guidelines, new projects, settings, protocols."""

from decimal import Decimal
from typing import Any, cast

from allauth.account.forms import SignupForm as AllauthSignupForm
from allauth.core import context
from django import forms
from django.core.validators import validate_slug
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation import kinds, presets
from annotation.core.accounts import is_mail_delivered
from annotation.core.models.project import GuidelineVersion, Project
from annotation.core.models.user import User
from annotation.core.rules.fields import Rule
from annotation.core.rules.settings import MACHINE_SETTINGS
from annotation.generation.rules import recipes
from annotation.kinds import Kind
from annotation.projects.accounts import held_invitation
from annotation.ui.fields import NumberField, area_field, hidden_number
from annotation.ui.rule_forms import RulesForm
from validation.consensus.protocol import Protocol


class SignupForm(AllauthSignupForm):
    """E-mail and name; whoever holds an invitation signs up with its address and no other.

    A password is asked here only where no mail leaves: elsewhere it is chosen behind the link that confirms the
    address, so that nobody else's password is ever that of an invited person.
    """

    name = forms.CharField(
        label=_("Name"),
        max_length=120,
        required=False,
        help_text=_("Seen by the QC leads and administrators of your projects, and nobody else."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    field_order = ["email", "name", "password1", "password2"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if is_mail_delivered():
            del self.fields["password1"], self.fields["password2"]
        invitation = held_invitation(context.request)
        if invitation is not None:
            # A disabled field takes its initial value, whatever is sent.
            self.fields["email"].disabled = True
            self.fields["email"].initial = self.initial["email"] = invitation.email

    def signup(self, request: Any, user: User) -> None:
        """Called by allauth once the account is made."""
        user.name = self.cleaned_data.get("name", "")
        user.save(update_fields=["name"])


LONGEST_GUIDELINE = 100_000


class GuidelineForm(forms.Form):
    """A new version of what writers or validators are told; `version` is the project's, as the page showed it."""

    role = forms.ChoiceField(choices=GuidelineVersion.Role.choices, widget=forms.HiddenInput)
    version = hidden_number()
    text = area_field(_("Text, in Markdown"), LONGEST_GUIDELINE, 24, strip=False)
    note = forms.CharField(
        label=_("What changed"),
        max_length=300,
        required=False,
        help_text=_("One line, shown to everybody beside the new version."),
    )


SHARE_LIMITS: dict[str, Any] = {
    "min_value": Decimal(0),
    "max_value": Decimal(1),
    "max_digits": 5,
    "decimal_places": 4,
}


# Fields of protocols that say what a label of the item's writer does; audits stop where a voter agrees with it.
OF_AUTHOR_LABELS = ("author", "alpha", "planned", "batch", "panel", "doubt")
SHARE_HELP = _("0 to 1: 0.3 sends three of ten items to validators, the rest goes to train as written.")


class ProjectForm(forms.Form):
    """What a new project needs beside its preset and protocol."""

    preset = forms.ChoiceField(widget=forms.HiddenInput)
    name = forms.CharField(label=_("Name"), max_length=200)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=60,
        validators=[validate_slug],
        help_text=_("Stands in addresses and file names: small letters, digits and hyphens. It never changes."),
    )
    language = forms.CharField(label=_("Language"), max_length=35, help_text=_("Its code: id, jv, su, min, en …"))
    register = forms.CharField(
        label=_("Register"), max_length=80, required=False, help_text=_("Where the language has several.")
    )
    share = NumberField(label=_("Share of items validated"), help_text=SHARE_HELP, **SHARE_LIMITS)
    seed = forms.CharField(
        label=_("Seed"),
        max_length=80,
        required=False,
        help_text=_("Every draw follows from it. Left empty, one is drawn; it is shown and exported."),
    )

    def __init__(self, *args: Any, kind: Kind, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "targets" in kind.features:
            # Registers are those of the targets, which are named later.
            del self.fields["register"]
            self.fields["language"].label = _("Language that is translated from")
            self.fields["share"].label = _("Share of items reviewed")
        choices = [(preset.slug, preset.name) for preset in presets.all_presets()]
        cast(forms.ChoiceField, self.fields["preset"]).choices = choices


class ProtocolForm(RulesForm):
    """Every field of a protocol (domain.md §3); its name follows from the others."""

    def __init__(
        self, *args: Any, protocol: Protocol, usual: Protocol | None = None, kind: Kind, **kwargs: Any
    ) -> None:
        unused = () if kind.has_author_labels else OF_AUTHOR_LABELS
        names = [name for name in Protocol.declared() if name != "name" and name not in unused]
        super().__init__(*args, stands=protocol, usual=usual, names=names, prefix="protocol", **kwargs)


class SettingsForm(RulesForm):
    """The settings that mean something in a project; `version` is the project's, as the page showed it."""

    version = hidden_number()
    sample_share = NumberField(label=_("Share of items validated"), help_text=SHARE_HELP, **SHARE_LIMITS)

    def __init__(self, *args: Any, project: Project, **kwargs: Any) -> None:
        stands = project.rules
        # Where people write the questions, what a machine would be told is in nobody's way.
        hidden = () if stands.recipe else MACHINE_SETTINGS
        names = [name for name in kinds.settings_of(project.kind_spec) if name not in hidden]
        usual = presets.find(project.preset)
        rules = usual.rules if usual is not None else None
        super().__init__(*args, stands=stands, usual=rules, names=names, **kwargs)

    def field_of(self, name: str, rule: Rule, default: Any) -> forms.Field:
        """The recipes are a registry's."""
        if name != "recipe":
            return super().field_of(name, rule, default)
        choices = [
            ("", gettext(rule.empty)),
            *((each.slug, gettext(each.name)) for each in recipes.all_recipes()),
        ]
        return forms.ChoiceField(
            choices=choices, required=False, label=gettext(rule.title), help_text=gettext(rule.help)
        )
