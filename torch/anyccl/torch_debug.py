"""A page for torch's debug server, which asks every rank for its groups:

    from anyccl import torch_debug
    torch.distributed.debug.start_debug_server(handlers=torch_debug.handlers())

The page /anyccl has a line for each group and rank: calls made, the last one, and whether any is under way. A rank
that has made fewer calls than the others is likely to be the one for which they wait. torch has such servers since 2.15.
"""

import html
import json

from torch.distributed.debug import _frontend

# What the handler of the backend tells about a group (torch/csrc/debug_handler.cpp).
COLUMNS = ("rank", "size", "collectives", "messages", "under_way", "last_call", "seconds_since_last_call", "failure")


class GroupsHandler(_frontend.DebugHandler):
    def routes(self):
        return [_frontend.Route("/anyccl", self._page)]

    def nav_links(self):
        return [_frontend.NavLink("/anyccl", "anyccl")]

    def dump(self):
        return self._table()

    def dump_filename(self):
        return "anyccl"

    def _page(self, request):
        return f"<title>anyccl</title><pre>{html.escape(self._table())}</pre>".encode()

    def _table(self):
        addresses, answers = _frontend.fetch_all("anyccl_groups", timeout=self.fetch_timeout)
        return table([answer.json() if answer.status_code == 200 else None for answer in answers], addresses)


def handlers():
    """Returns torch's own handlers, which need more packages than torch does, and the one of anyccl."""
    from torch.distributed.debug import _debug_handlers

    return [*_debug_handlers.default_handlers(), GroupsHandler()]


def table(answers, addresses):
    """Lays out what the ranks have answered; None stands for a rank that has not."""
    lines = [f"no answer from {address}" for answer, address in zip(answers, addresses) if answer is None]
    groups = {}
    for answer in filter(None, answers):
        for group in answer["groups"]:
            groups.setdefault(group["group"], []).append(group)
    for name, members in sorted(groups.items()):
        rows = [COLUMNS, *([_cell(member[column]) for column in COLUMNS] for member in sorted(members, key=_by_progress))]
        widths = [max(len(row[at]) for row in rows) for at in range(len(COLUMNS))]
        lines += [f'group "{name}"', *("  ".join(map(str.rjust, row, widths)) for row in rows), ""]
    return "\n".join(lines)


def _by_progress(member):
    return member["collectives"], member["rank"]


def _cell(value):
    if value is None:
        return "-"
    return f"{value:.1f}" if isinstance(value, float) else json.dumps(value).strip('"')
