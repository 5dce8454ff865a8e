"""Plots as matplotlib figures in memory, for the Python package (python/weir): paper's, of which nothing is written."""
from .paper import *  # noqa: F403
from .paper import lay_out
from .style import WIDTH, Figure


def save(figure, folder, name, caption, data=None):
    lay_out(figure)
    return Figure(None, caption, name, figure.get_size_inches()[0] > 1.5 * WIDTH, (figure, data))
