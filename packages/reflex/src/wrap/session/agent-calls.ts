import type { Json } from '../../kernel/index.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import { type Fields, jsonOf } from '../dialects/loose.ts'
import { type AgentSession, callerContext, type NestedAgent } from './context.ts'
import type { Conversations } from './conversations.ts'
import type { ModelRequest } from './model-call.ts'
import { ModelCalls } from './model-calls.ts'
import { PendingCall, UNRECORDED, valueOf } from './pending-call.ts'
import type { CallInput } from './recorded-calls.ts'
import { recordable, recordedFault } from './recorded-fault.ts'
import type { StreamRequest } from './reply-stream.ts'
import { redacted } from './tools.ts'
import type { TurnRun } from './turn-run.ts'

/** What the calls of an agent need of its turn. */
export interface AgentCallsParts {
  readonly run: TurnRun
  /** Stands before the ids of a nested agent: the id of the call that runs it. Empty for the agent of the turn. */
  readonly prefix: string
  readonly tools: readonly SkillTool[]
  readonly conversations: Conversations
  /** The name of the conversation, if the host gives one. */
  readonly conversation: string | undefined
  readonly signal: AbortSignal | undefined
}

interface ActInput {
  readonly redact: readonly string[] | undefined
  readonly input: CallInput
}

/** A tool that says nothing of itself is the worst. */
const UNKNOWN_TOOL = { sideEffects: 'external', idempotent: false } as const

/** Separates the id of a call from those of the calls within. */
const WITHIN = '>'

/**
 * The calls of one agent in a turn: each becomes an input of the run, and is answered when the run has recorded its end. The calls of a nested
 * agent are calls of the same run, with ids of their own, so that after a crash it continues within its call.
 */
export class AgentCalls implements AgentSession {
  readonly models: ModelCalls
  readonly #parts: AgentCallsParts
  readonly #occurrences = new Map<string, number>()
  readonly #nested: AgentCalls[] = []

  constructor(parts: AgentCallsParts) {
    this.#parts = parts
    const { run, conversations, conversation, signal } = parts
    this.models = new ModelCalls({ run, conversations, conversation, signal, id: (...call) => this.#id(...call) })
  }

  /** True if a call of a model has come through a proxy, of this agent or of one within. */
  get hasAskedModel(): boolean {
    return this.models.opening !== undefined || this.#nested.some((nested) => nested.hasAskedModel)
  }

  /** Calls a tool of the agent. Throws what the tool throws. */
  async tool(name: string, args: readonly unknown[], act: () => unknown): Promise<unknown> {
    const { tools, prefix } = this.#parts
    const given = givenOf(args)
    const found = tools.find((tool) => tool.name === name)
    const id = this.#id('tool', name, given)
    const { sideEffects, idempotent } = found ?? UNKNOWN_TOOL
    const facts = prefix === '' ? {} : { facts: { sideEffects, idempotent } }
    const input = { do: 'tool', id, tool: name, args: redacted(given, found?.redact), ...facts } as const
    return this.#act(id, act, { redact: found?.redact, input })
  }

  /** Runs other code of the agent as an effect: its result is kept, and after a crash it is not run again without a question. */
  async once(name: string, act: () => unknown): Promise<unknown> {
    const id = this.#id('once', name, null)
    return this.#act(id, act, { redact: undefined, input: { do: 'once', id, name } })
  }

  /**
   * Runs another agent within this one. Its calls belong to the turn; after a crash its code starts over, and what it has done is answered
   * from the record.
   */
  async agent(name: string, args: readonly unknown[], { tools, conversations, act }: NestedAgent): Promise<unknown> {
    const given = givenOf(args)
    const id = this.#id('agent', name, given)
    const run = (): unknown => {
      const parts = { ...this.#parts, prefix: `${id}${WITHIN}`, conversation: undefined }
      const nested = new AgentCalls({ ...parts, tools: tools ?? parts.tools, conversations: conversations ?? parts.conversations })
      this.#nested.push(nested)
      return act(nested)
    }
    return this.#act(id, run, { redact: undefined, input: { do: 'agent', id, name, args: given } })
  }

  /** Asks the agent's model. Returns a response as the model gives it, without what is for skills alone. */
  ask(request: ModelRequest): Promise<unknown> {
    return this.models.ask(request)
  }

  /** Asks the agent's model for a stream. Resolves when it is open; its chunks are for the agent alone. */
  stream(request: StreamRequest): Promise<AsyncIterableIterator<Fields>> {
    return this.models.stream(request)
  }

  async #act(id: string, act: () => unknown, { redact, input }: ActInput): Promise<unknown> {
    const { run, signal } = this.#parts
    signal?.throwIfAborted()
    const inContext = callerContext()
    const pending = new PendingCall(id, async (_, call) => redacted(jsonOf(await recordable(call.try(() => inContext(act)))), redact))
    const result = await run.settled(pending, () => input)
    if (result === UNRECORDED) return pending.attempt === undefined ? inContext(act) : valueOf(await pending.attempt)
    const attempt = await pending.attempt
    if (attempt !== undefined) return valueOf(attempt)
    if (!result.ok) throw recordedFault(result)
    return 'value' in result ? result.value : undefined
  }

  /** The id of a call: its operation, its arguments, and how often both came before. */
  #id(operation: string, name: string, args: Json): string {
    const base = `${this.#parts.prefix}${operation}/${name}/${this.#parts.run.hashOf([operation, name, args]).slice(0, 32)}`
    const n = this.#occurrences.get(base) ?? 0
    this.#occurrences.set(base, n + 1)
    return `${base}/${n}`
  }
}

function givenOf(args: readonly unknown[]): Json {
  return jsonOf(args.length === 1 ? args[0] : args)
}
