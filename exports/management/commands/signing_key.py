"""`manage.py signing_key`: the keys with which this site signs releases."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.core.errors import Conflict
from annotation.core.links import site_link
from annotation.core.messages import problem_words
from exports.releases.rules.signature import ADDRESS, as_pem
from exports.releases.signing import key_in_use, signing_key_make, signing_keys


class Command(BaseCommand):
    """Prints every public key; private ones are shown to nobody. Exit 1 where nothing could be made."""

    help = "List the public keys of this site that sign releases; make the first one, or another in its place."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_mutually_exclusive_group()
        acts.add_argument("--make", action="store_true", help="make the key, once: releases are signed from then on")
        acts.add_argument(
            "--rotate",
            action="store_true",
            help="make another key; the private half of the old one is deleted, its public half stays listed",
        )
        parser.add_argument(
            "--revoke",
            action="store_true",
            help="with --rotate: somebody else may have the old key, so no signature with it counts any more",
        )
        acts.add_argument("--pem", action="store_true", help="print the key in use as openssl reads it, nothing else")

    def handle(self, **options: Any) -> None:
        if options["revoke"] and not options["rotate"]:
            raise CommandError("--revoke goes with --rotate: the key in use is revoked when another takes its place.")
        if options["make"] or options["rotate"]:
            try:
                signing_key_make(rotate=options["rotate"], revoke=options["revoke"])
            except Conflict as refused:
                raise CommandError(refused.message or problem_words(refused.code)) from None
        keys, in_use = signing_keys(), key_in_use()
        if options["pem"]:
            if in_use is None:
                raise CommandError(problem_words("signing_key_none"))
            self.stdout.write(as_pem(in_use.public_key), ending="")
            return
        for key in keys:
            until = f"to {key.ended_at:%Y-%m-%d %H:%M}" if key.ended_at else "on"
            until += f", revoked {key.revoked_at:%Y-%m-%d %H:%M}" if key.revoked_at else ""
            self.stdout.write(f"{key.key}  {key.public_key}  from {key.at:%Y-%m-%d %H:%M} {until}")
        if in_use is not None:
            self.stdout.write(f"Everybody can read this list at {site_link(ADDRESS)}")
        elif keys:
            self.stdout.write(problem_words("signing_key_lost"))
        else:
            self.stdout.write(problem_words("signing_key_none"))
