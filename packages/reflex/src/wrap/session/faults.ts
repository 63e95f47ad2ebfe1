import { defineFaults } from '../../kernel/index.ts'

const WRAPPING = 'when an agent is wrapped'
const TURN = 'during a turn of a wrapped agent'

/** The catalogue entries of wrapped agents (R2150 to R2169). */
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
  R2157: {
    title: 'A turn waits for an answer',
    verdict: 'fail',
    severity: 'info',
    when: TURN,
    means:
      "A program that a skill calls asks a person, or a resumed agent makes a call that may do a thing twice: the outcome of its first try is unknown, or the agent did not make this call before. A person decides whether it is made, and the agent waits. Any process can give the answer, and this one stays alive for it; if it ends first, resume the turn again. With `answers: 'none'` the turn is left open, and its call rejects with this fault.",
    often: 'a tool that is not declared to be repeatable, in whose call the process died',
    fix: 'Run `reflex inbox` to see the question, and `reflex answer RUN/qN VALUE` to answer it.',
  },
  R2160: {
    title: 'A model has an interface of an unknown version',
    verdict: 'fail',
    when: WRAPPING,
    means:
      'Models of the AI SDK and of Mastra say in `specificationVersion` which requests they take and how they reply. Reflex reads v2, v3 and v4. It does not guess at others, because it would change requests that it cannot read.',
    often: 'a provider that is newer than this version of Reflex, or older than version 5 of the AI SDK',
    fix: 'Install a provider of the AI SDK 5, 6 or 7, or a newer Reflex.',
  },
  R2161: {
    title: 'The provider of a model has failed, and can be asked again',
    verdict: 'fail',
    when: TURN,
    means:
      'The provider refused a call for now: it is overloaded, limits the rate, or could not be reached. The framework of the agent asks again by its own rules, and each attempt is a call of its own in the record.',
    often: 'a rate limit, a timeout of the provider',
    fix: 'Nothing, if a later attempt succeeded. Otherwise wait, or raise the `maxRetries` of the framework.',
  },
  R2162: {
    title: 'A tool of an agent has failed',
    verdict: 'fail',
    when: TURN,
    means:
      'The agent has called one of its tools, or code of its own, and that threw. The agent got what was thrown; a resumed turn throws it again.',
    often: 'a service that a tool calls is away, wrong arguments from the model',
    fix: 'Correct the tool, or let the agent tell its model what has failed.',
  },
  R2163: {
    title: 'A recorded reply cannot be given to LangChain',
    verdict: 'fail',
    when: 'when a turn is resumed',
    means:
      'A model of LangChain replies with objects of its classes. The record has their values, and Reflex makes the objects again with the classes of the host. The package that has them cannot be loaded from the folder of Reflex.',
    often: 'a workspace in which Reflex and the application have separate folders of packages',
    fix: 'Install @langchain/core, and @langchain/langgraph for tools that return commands, beside reflex-runtime.',
  },
  R2164: {
    title: 'A plan cannot call a tool that needs an approval',
    verdict: 'fail',
    when: 'during a plan of a skill',
    means:
      'The runner of the OpenAI Agents SDK asks a person before it calls this tool, or checks its arguments and results by guardrails. A plan calls the tool itself, without a runner, so both would be left out. The tool was not called.',
    often: 'a skill whose step calls a tool with needsApproval or guardrails',
    fix: 'Give skills a tool of their own that states its effects, and let the policy of the skill ask.',
  },
  R2165: {
    title: 'A tool of the OpenAI Agents SDK has failed',
    verdict: 'fail',
    when: 'during a plan of a skill',
    means: 'The SDK catches what a tool throws and gives a text in its place, so the plan knows that the step failed, and not why.',
    often: 'a tool without an `errorFunction`',
    fix: 'Write `errorFunction: null` in the tool: then the plan gets the error itself.',
  },
})
