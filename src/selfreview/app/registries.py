"""Agents, reviewers and fixers that plugins register, for a configuration."""

from __future__ import annotations

from selfreview.api import Agent, ConfigView, Fixer, Registry, Reviewer, capabilities
from selfreview.plugins.manager import PluginManager


def agents_of(manager: PluginManager, config: ConfigView) -> Registry[Agent]:
    """Return all agents."""
    agents: Registry[Agent] = Registry("agent")
    manager.call("selfreview_register_agents", registry=agents, config=config)
    return agents


def reviewers_of(manager: PluginManager, config: ConfigView) -> Registry[Reviewer]:
    """Return all reviewers, including agents."""
    from selfreview.reviewers.agents import AgentReviewer

    reviewers: Registry[Reviewer] = Registry("reviewer")
    manager.call("selfreview_register_reviewers", registry=reviewers, config=config)
    for agent in agents_of(manager, config):
        reviewers.add(AgentReviewer(agent, config))
    return reviewers


def fixers_of(manager: PluginManager, config: ConfigView) -> Registry[Fixer]:
    """Return all fixers, including agents that can write."""
    from selfreview.fixers.agent import AgentFixer

    fixers: Registry[Fixer] = Registry("fixer")
    manager.call("selfreview_register_fixers", registry=fixers, config=config)
    for agent in agents_of(manager, config):
        argv = capabilities.of_agent(agent).fix_argv
        if argv:
            fixers.add(AgentFixer(agent, argv, config))
    return fixers
