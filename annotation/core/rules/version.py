"""The version of this Mufakat, for modules that run without settings too."""

RELEASE = "0.2.0"
