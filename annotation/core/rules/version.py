"""The version of this Mufakat, for modules that run without settings too, and those that were published before."""

RELEASE = "0.2.0"
EARLIER = ("0.1.0",)
