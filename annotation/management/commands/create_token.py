"""`manage.py create_token`: a token of the API for an account, by somebody at the machine."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.api import rules
from annotation.api.tokens import token_create
from annotation.core.errors import Refusal
from annotation.core.messages import problem_words
from annotation.core.models.user import User, canonical_email


class Command(BaseCommand):
    """Prints the token, which is stored nowhere."""

    help = "Make a token of the REST API for an account. It is printed this once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="whose token it is: it may do what they may")
        parser.add_argument("--name", default="made by create_token", help="what uses it")
        parser.add_argument(
            "--scope",
            action="append",
            choices=rules.SCOPES,
            help="what it may do; again for more; read if none",
        )
        parser.add_argument("--project", action="append", help="a project's short name; again for more; all if none")
        parser.add_argument("--days", type=int, default=rules.DEFAULT_DAYS, help="how long it works (1 to 365)")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email=canonical_email(options["email"]), is_active=True).first()
        if user is None:
            raise CommandError("There is no active account with this address.")
        try:
            made = token_create(
                user=user,
                name=options["name"],
                scopes=options["scope"] or ["read"],
                projects=options["project"],
                days=options["days"],
            )
        except Refusal as refusal:
            raise CommandError(refusal.message or problem_words(refusal.code)) from refusal
        self.stdout.write(made.text)
