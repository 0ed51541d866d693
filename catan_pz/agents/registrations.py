"""Names of agents and encoders that were registered here, for processes that are started from here.

What is registered is known to one process. A process that makes an agent for this one adopts them.
"""

from typing import NamedTuple, Self

from catan_pz.agents import registry as agents
from catan_pz.encoders import registry as encoders


class Registrations(NamedTuple):
    """Homes by name, of what doesn't come with the package.

    Attributes:
        agents: of those given to `agents.register`.
        encoders: of those given to `encoders.register`.
    """

    agents: dict[str, str]
    encoders: dict[str, str]

    @classmethod
    def here(cls) -> Self:
        """Those of this process."""
        return cls(agents.registered(), encoders.registered())

    def adopt(self) -> None:
        """Register in this process what isn't known here yet.

        Raises:
            ValueError: if an encoder of such a name, with another home, is in use here.
        """
        for registry, homes in ((encoders, self.encoders), (agents, self.agents)):
            known = registry.registered()
            for name, home in homes.items():
                if known.get(name) != home:
                    registry.register(name, home)
