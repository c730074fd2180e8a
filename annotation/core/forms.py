"""What people send: sign-up, the second factor, guidelines, new projects, settings, protocols."""

import hashlib
from collections.abc import Mapping
from dataclasses import fields
from decimal import Decimal
from typing import Any, cast

from allauth.account.forms import SignupForm as AllauthSignupForm
from allauth.core import context
from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa import app_settings
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base import forms as base
from allauth.mfa.totp import forms as totp
from django import forms
from django.core.cache import cache
from django.core.validators import validate_slug
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from annotation import kinds, presets
from annotation.core.accounts import held_invitation, mail_leaves
from annotation.core.models.project import GuidelineVersion
from annotation.core.models.user import User
from annotation.core.rules import error_types
from annotation.core.rules.settings import LISTS, OF_RECIPES, SETTING_HELP, ProjectSettings
from annotation.generation.rules import recipes
from annotation.kinds import Kind
from annotation.ui.fields import area, hidden_number
from validation.consensus import protocol as rules
from validation.consensus.protocol import Protocol, ProtocolError
from validation.studies.rules.criteria import CriteriaFault


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
        if mail_leaves():
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


class TakenOnce(forms.Form):
    """Refuses a code that this person gave before, for as long as its time lasts."""

    user: Any

    def clean_code(self) -> str:
        code: str = super().clean_code()  # type: ignore[misc]
        given = f"{self.user.pk}:{normalize_user_code(code)}"
        key = f"code-taken:{hashlib.sha256(given.encode()).hexdigest()}"
        # A code is right in its own step and in those that are tolerated before and behind it.
        lasts = app_settings.TOTP_PERIOD * (2 * app_settings.TOTP_TOLERANCE + 1)
        if not cache.add(key, True, timeout=lasts):
            raise get_adapter().validation_error("incorrect_code")
        return code


class ActivateTOTPForm(TakenOnce, totp.ActivateTOTPForm):
    """Switches the second factor on."""


class AuthenticateForm(TakenOnce, base.AuthenticateForm):
    """Asks for it at log-in."""


class ReauthenticateForm(TakenOnce, base.ReauthenticateForm):
    """Asks for it again before something that matters."""


LONGEST_GUIDELINE = 100_000


class GuidelineForm(forms.Form):
    """A new version of what writers or validators are told; `version` is the project's, as the page showed it."""

    role = forms.ChoiceField(choices=GuidelineVersion.Role.choices, widget=forms.HiddenInput)
    version = hidden_number()
    text = area(_("Text, in Markdown"), LONGEST_GUIDELINE, 24)
    note = forms.CharField(
        label=_("What changed"),
        max_length=300,
        required=False,
        help_text=_("One line, shown to everybody beside the new version."),
    )


SHARE: dict[str, Any] = {
    "min_value": Decimal(0),
    "max_value": Decimal(1),
    "max_digits": 5,
    "decimal_places": 4,
}
SHARE_HELP = _("0 to 1: 0.3 sends three of ten items to validators, the rest goes to train as written.")


class ProjectForm(forms.Form):
    """What a new project needs beside its preset and protocol."""

    preset = forms.ChoiceField(widget=forms.HiddenInput)
    name = forms.CharField(label=_("Name"), max_length=200)
    slug = forms.CharField(
        label=_("Short name"),
        max_length=60,
        validators=[validate_slug],
        help_text=_(
            "Stands in addresses and file names: small letters, digits and hyphens. It never changes."
        ),
    )
    language = forms.CharField(
        label=_("Language"), max_length=35, help_text=_("Its code: id, jv, su, min, en …")
    )
    register = forms.CharField(
        label=_("Register"), max_length=80, required=False, help_text=_("Where the language has several.")
    )
    share = forms.DecimalField(label=_("Share of items validated"), help_text=SHARE_HELP, **SHARE)
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


NAMES: Mapping[str, Any] = {
    "rounds": _("Votes in each round"),
    "quorum": _("Quorum"),
    "author": _("The writer's label"),
    "target": _("What can become gold"),
    "accept": _("Accepting label"),
    "plurality": _("Most votes are enough"),
    "tie": _("Ties"),
    "stop_hopeless": _("Stop when hopeless"),
    "criteria": _("Criteria"),
    "most_ambiguous": _("Ambiguous for at most"),
    "combine": _("Answers with parts"),
}
COMMA_LISTS = ("rounds", "criteria")
# Until it has its title, which follows from the fields.
UNNAMED = "-"


class ProtocolForm(forms.Form):
    """Every field of a protocol (domain.md §3) with its explanation; lists are written with commas."""

    def __init__(self, *args: Any, protocol: Protocol | None = None, **kwargs: Any) -> None:
        if protocol is not None:
            kwargs["initial"] = {**initial_of(protocol), **kwargs.get("initial", {})}
        super().__init__(*args, **kwargs)
        for field in (each for each in fields(Protocol) if each.name in NAMES):
            self.fields[field.name] = _protocol_field(field.name, field.type)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        try:
            self.protocol = Protocol.from_dict(_plain(cleaned)).titled()
        except ProtocolError as error:
            self.add_error(error.field, gettext(error.reason) % error.params)
        except ValueError:
            self.add_error("rounds", gettext("Whole numbers with commas between them, like 2, 1, 1."))
        return cleaned


def initial_of(protocol: Protocol) -> dict[str, Any]:
    """A protocol as the form shows it."""
    plain = {name: value for name, value in protocol.to_dict().items() if name in NAMES}
    return plain | {name: ", ".join(map(str, plain[name])) for name in COMMA_LISTS}


def _plain(cleaned: Mapping[str, Any]) -> dict[str, Any]:
    known = {"name": UNNAMED, **{name: cleaned[name] for name in NAMES}}
    parts = {name: [part.strip() for part in known[name].split(",") if part.strip()] for name in COMMA_LISTS}
    return known | {"rounds": [int(part) for part in parts["rounds"]], "criteria": parts["criteria"]}


def _protocol_field(name: str, kind: Any) -> forms.Field:
    common: dict[str, Any] = {"label": NAMES[name], "help_text": gettext(rules.FIELD_HELP[name])}
    if name in rules.CHOICES:
        choices = [(value, gettext(words)) for value, words in rules.CHOICES[name].items()]
        return forms.ChoiceField(choices=choices, required="" not in rules.CHOICES[name], **common)
    if kind in (bool, "bool"):
        return forms.BooleanField(required=False, **common)
    if kind in (int, "int"):
        least = rules.NEVER if name == "most_ambiguous" else 1
        return forms.IntegerField(min_value=least, max_value=rules.MOST_VOTES + 1, **common)
    return forms.CharField(max_length=200, required=name in ("name", "rounds"), **common)


SETTING_NAMES: Mapping[str, Any] = {
    "per_label": _("Hypotheses for each label"),
    "tags": _("Phenomenon tags"),
    "max_words": _("Longest premise"),
    "per_document": _("Premises from one document"),
    "leads_vote": _("QC leads may vote"),
    "shared_percent": _("Shared sources, in %"),
    "allocation_size": _("Texts for each writer"),
    "sample_unit": _("Sampled by"),
    "offer_minutes": _("Minutes before voting"),
    "idle_days": _("Idle days"),
    "aged_days": _("Days of waiting"),
    "spacing": _("Distance between pairs"),
    "fast_base_seconds": _("Too fast: seconds"),
    "fast_word_seconds": _("Too fast: seconds for each word"),
    "agreement_from": _("Agreement shown from"),
    "release": _("Rules for splits"),
    "paragraph_name": _("Name of the longer class"),
    "writers_each": _("Writers for each concept"),
    "per_category": _("Concepts of a category for each writer"),
    "category_target": _("Concepts wanted in each category"),
    "own_wording": _("Writers give the concept in their own wording"),
    "check_first": _("A QC lead approves each item before voting"),
    "error_types": _("Error types of the review"),
    "least_responses": _("Fewest responses of each side"),
    "second_language": _("Second language"),
    "rating_criteria": _("Criteria of ratings"),
    "near_percent": _("Choices nearly the same from"),
    "answer_place_from": _("Usual place of the answer from"),
    "numerals_stay": _("Numerals stay numerals"),
    "take_size": _("Texts that a translator takes at once"),
    "length_limit": _("Unusual length from"),
    "clean_up_reasons": _("Reasons for cleaning sources"),
    "recipe": _("How a machine writes questions"),
    "place": _("Place that questions are about"),
    "set_count": _("Question sets"),
    "relations": _("ConceptNet relations"),
    "concepts_per_call": _("Concepts asked for in one call"),
    "questions_per_concept": _("Machine-written questions for each concept"),
    "batch_size": _("Sources in one batch"),
    "offensive_words": _("Offensive words of the project"),
    "similarity": _("Likeness of what is translated back"),
    "native_language": _("Native language asked for"),
    "years": _("Years asked for"),
}
OFTEN: Mapping[str, list[tuple[str, Any]]] = {
    "tags": [
        ("off", pgettext_lazy("tags", "off")),
        ("optional", pgettext_lazy("tags", "optional")),
        ("required", pgettext_lazy("tags", "required")),
    ],
    "sample_unit": [("item", _("item")), ("premise", _("premise"))],
}
# One a line.
LISTED = ("error_types", "rating_criteria", "clean_up_reasons", "relations", "offensive_words")
LARGEST, LONGEST_LIST = 1_000_000, 4_000


class SettingsForm(forms.Form):
    """The settings that mean something for a kind; `version` is the project's, as the page showed it."""

    version = hidden_number()
    sample_share = forms.DecimalField(label=_("Share of items validated"), help_text=SHARE_HELP, **SHARE)

    def __init__(self, *args: Any, kind: Kind, recipe: str = "", **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Where people write the questions, what a machine would be told is in nobody's way.
        hidden = () if recipe else OF_RECIPES
        self.names = tuple(name for name in kinds.settings_of(kind) if name not in hidden)
        defaults = {field.name: field.default for field in fields(ProjectSettings)}
        for name in self.names:
            self.fields[name] = _setting_field(name, defaults[name])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        for name in LISTS.keys() & cleaned.keys():
            try:
                LISTS[name](cleaned[name])
            except error_types.ErrorTypesError as error:
                words = {"line": error.line, "reason": gettext(error.reason)}
                self.add_error(name, gettext("Line %(line)d: %(reason)s.") % words)
            except CriteriaFault as fault:
                self.add_error(name, gettext(fault.message) % fault.params)
        if not self.errors:
            try:
                ProjectSettings.from_dict({name: cleaned[name] for name in self.names})
            except ValueError as refusal:
                name, _colon, reason = str(refusal).partition(": ")
                self.add_error(name if name in self.fields else None, gettext(reason))
        return cleaned


def _recipes() -> list[tuple[str, str]]:
    """None, or one of the ways that there are."""
    return [
        ("", gettext("People write them")),
        *((each.slug, gettext(each.name)) for each in recipes.all_recipes()),
    ]


def _setting_field(name: str, default: Any) -> forms.Field:
    common: dict[str, Any] = {"label": SETTING_NAMES[name], "help_text": gettext(SETTING_HELP[name])}
    if name in OFTEN:
        return forms.ChoiceField(choices=OFTEN[name], **common)
    if name == "recipe":
        return forms.ChoiceField(choices=_recipes, required=False, **common)
    if isinstance(default, bool):
        return forms.BooleanField(required=False, **common)
    if name in LISTED:
        return area(common["label"], LONGEST_LIST, 6, common["help_text"], required=False)
    if isinstance(default, float):
        return forms.FloatField(min_value=0, max_value=LARGEST, **common)
    if isinstance(default, int):
        return forms.IntegerField(min_value=0, max_value=LARGEST, **common)
    return forms.CharField(max_length=80, required=bool(default), **common)
