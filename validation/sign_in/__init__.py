"""Sign-in through an institution by OpenID Connect, and the roles that its groups give."""
