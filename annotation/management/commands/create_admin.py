"""`manage.py create_admin EMAIL`: an administrator's account."""

import getpass
import secrets
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.core.actions.accounts import user_create
from annotation.core.errors import Refusal


class Command(BaseCommand):
    """Makes an administrator; the password is asked for, or made and printed where nobody can be asked."""

    help = "Make an administrator's account."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the address to log in with")
        parser.add_argument("--name", default="", help="what other administrators see")
        parser.add_argument("--generate", action="store_true", help="make a password and print it")

    def handle(self, *args: Any, **options: Any) -> None:
        ask = sys.stdin.isatty() and not options["generate"]
        password = getpass.getpass("Password: ") if ask else secrets.token_urlsafe(12)
        try:
            user = user_create(email=options["email"], password=password, name=options["name"], administrator=True)
        except Refusal as refusal:
            raise CommandError(refusal.message or f"{refusal.field}: {refusal.code}") from refusal
        self.stdout.write(f"administrator {user.email}" + ("" if ask else f" password {password}"))
