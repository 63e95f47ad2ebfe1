import { defineFaults } from '../../kernel/index.ts'

const WRAPPING = 'when an agent is wrapped'
const TURN = 'during a turn of a wrapped agent'

/** The catalogue entries of wrapped agents (R2150 to R2159). */
export const faults = defineFaults({
  R2150: {
    title: 'A client or a tool cannot be intercepted',
    verdict: 'fail',
    when: WRAPPING,
    rules: ['E_CANNOT_INTERCEPT'],
    means:
      'Reflex replaces the functions through which an agent calls its model and its tools. This one cannot be replaced: its object is frozen, its property is read-only, or it has no function that Reflex knows. Nothing was changed.',
    often: 'a client that was frozen, a module namespace as the record of tools, a client of another provider',
    fix: 'Build the agent from parts that Reflex hands it: `reflex.wrap(({ llm, tools }) => makeAgent(llm, tools), { llm, tools })`.',
  },
  R2151: {
    title: 'A turn has ended without a call of its model',
    verdict: 'fail',
    severity: 'warning',
    when: TURN,
    rules: ['adapter.no_intercept'],
    means:
      'The agent was wrapped, and no call of a model came through its proxies. If it talks to a model at all, it does so past Reflex: no skill was shown to it, and nothing of the conversation is recorded.',
    often: 'an agent that keeps a model of its own in a closure instead of taking it from its second argument',
    fix: 'Give `wrap` the client that the agent really calls, or let the agent take `llm` from its second argument.',
  },
  R2152: {
    title: 'Two tools of agents have the same name',
    verdict: 'fail',
    severity: 'warning',
    when: WRAPPING,
    means:
      'Skills call tools by name. A tool of this name is there already, so skills keep calling that one; the agent itself calls its own, as before.',
    often: 'two agents of one Reflex with tools of equal names, a tool with the name of one of Reflex',
    fix: 'Rename the tool, or wrap each agent with a Reflex of its own.',
  },
  R2153: {
    title: 'Reflex has failed within a turn',
    verdict: 'bug',
    severity: 'warning',
    when: TURN,
    rules: ['reflex.internal_error'],
    means:
      'The run of the turn could not go on, so the agent works without Reflex for the rest of the turn: its calls reach its model and its tools unchanged, nothing more is recorded, and no skill is carried out.',
    often: 'a store that cannot be written, a run that another process has taken over',
    fix: 'Correct the cause that the message names. The conversation was not affected.',
  },
  R2154: {
    title: 'The code of an agent has diverged from its record',
    verdict: 'fail',
    when: 'when a turn is resumed',
    means:
      'A resumed agent starts over, and calls that the record has are answered from it. Here it makes a call that the record does not have, while recorded calls are still unused. A person has refused it, because it could do a thing twice in two ways, or the turn is strict. Both sides are in the data of this fault.',
    often: 'code that reads a clock or randomness, an agent that was changed since its process ended',
    fix: 'Take such values from `once(name, read)`, or begin a new turn. `reflex inbox` shows the question about such a call.',
  },
  R2155: {
    title: 'An agent cannot be wrapped like this',
    verdict: 'fail',
    when: WRAPPING,
    means: 'What was given is not an agent, a record of tools, a client of a model, or a value for the blackboard of a turn.',
    often: 'a wrong name of an option, a key outside of ctx, env and work',
    fix: 'Write `reflex.wrap({ agent, tools, llm })`; the agent is a function or an object with `run`.',
  },
  R2156: {
    title: 'The stream of a model broke off',
    verdict: 'retry',
    when: TURN,
    means:
      'The model had begun to reply, and its stream ended with an error. The agent got the error of its client after the chunks that had come; the record has this one. Nothing in the reply was decided.',
    often: 'a connection that was lost, a provider that is overloaded',
    fix: 'Let the agent ask again, as it would without Reflex.',
  },
})
