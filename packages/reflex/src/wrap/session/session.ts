import type { Reflex } from '../../app/reflex.ts'
import { type Call, canonicalJson, digest, Fault, type FaultData, type Json } from '../../kernel/index.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { TurnHost } from '../../kinds/skill/turn/host.ts'
import type { RunSettings } from '../../policy/index.ts'
import { latestSelection } from '../dialects/ledgers.ts'
import { type Fields, jsonOf } from '../dialects/loose.ts'
import { type AgentSession, callerContext } from './context.ts'
import type { Conversations } from './conversations.ts'
import type { ModelRequest } from './model-call.ts'
import { ModelCalls } from './model-calls.ts'
import { PendingCall, UNRECORDED, valueOf } from './pending-call.ts'
import type { CallInput } from './recorded-calls.ts'
import { recordable, recordedFault } from './recorded-fault.ts'
import type { StreamRequest } from './reply-stream.ts'
import type { AgentSkills, OfferedSkill } from './skills.ts'
import { redacted } from './tools.ts'
import { TurnRun } from './turn-run.ts'

/** What a session needs of its agent. */
export interface SessionParts {
  readonly reflex: Reflex
  readonly skills: AgentSkills
  readonly installed: readonly OfferedSkill[]
  readonly conversations: Conversations
  /** The name of the conversation, if the host gives one. */
  readonly conversation: string | undefined
  readonly tools: readonly SkillTool[]
  readonly signal: AbortSignal | undefined
  /** True: a resumed turn whose code diverges from its record fails. */
  readonly isStrict: boolean
}

/**
 * One turn of a wrapped agent in this process. Each call of the agent's code becomes an input of the run of the turn, is performed when the
 * run asks for it, and is answered when the run has recorded its end. A resumed turn answers from the record what the record has. If the run
 * fails, the code works on without it (reference skill 1.14).
 */
export class TurnSession implements TurnHost, AgentSession {
  readonly run: TurnRun
  readonly #parts: SessionParts
  readonly #occurrences = new Map<string, number>()
  readonly #models: ModelCalls

  constructor(parts: SessionParts) {
    this.#parts = parts
    const leaves = (name: string): boolean => parts.tools.find((tool) => tool.name === name)?.sideEffects !== 'none'
    this.run = new TurnRun(parts.reflex, { leaves, isStrict: parts.isStrict })
    const { conversations, conversation, signal } = parts
    this.#models = new ModelCalls({ run: this.run, conversations, conversation, signal, id: (...call) => this.#id(...call) })
  }

  /** True if a call of a model has come through a proxy in this turn. */
  get hasAskedModel(): boolean {
    return this.#models.opening !== undefined
  }

  // Calls of the agent's code

  /** Calls a tool of the agent. Throws what the tool throws. */
  async tool(name: string, args: readonly unknown[], act: () => unknown): Promise<unknown> {
    const given = jsonOf(args.length === 1 ? args[0] : args)
    const facts = this.#parts.tools.find((tool) => tool.name === name)
    const id = this.#id('tool', name, given)
    return this.#act(id, act, { redact: facts?.redact, input: { do: 'tool', id, tool: name, args: redacted(given, facts?.redact) } })
  }

  /** Runs other code of the agent as an effect: its result is kept, and after a crash it is not run again without a question. */
  async once(name: string, act: () => unknown): Promise<unknown> {
    const id = this.#id('once', name, null)
    return this.#act(id, act, { redact: undefined, input: { do: 'once', id, name } })
  }

  async #act(id: string, act: () => unknown, { redact, input }: ActInput): Promise<unknown> {
    this.#parts.signal?.throwIfAborted()
    const inContext = callerContext()
    const pending = new PendingCall(id, async (_, call) => redacted(jsonOf(await recordable(call.try(() => inContext(act)))), redact))
    const result = await this.run.settled(pending, () => input)
    if (result === UNRECORDED) return pending.attempt === undefined ? inContext(act) : valueOf(await pending.attempt)
    const attempt = await pending.attempt
    if (attempt !== undefined) return valueOf(attempt)
    if (!result.ok) throw recordedFault(result)
    return 'value' in result ? result.value : undefined
  }

  /** Asks the agent's model. Returns a response as the model gives it, without what is for skills alone. */
  ask(request: ModelRequest): Promise<unknown> {
    return this.#models.ask(request)
  }

  /** Asks the agent's model for a stream. Resolves when it is open; its chunks are for the agent alone. */
  stream(request: StreamRequest): Promise<AsyncIterableIterator<Fields>> {
    return this.#models.stream(request)
  }

  /** The id of a call: its operation, its arguments, and how often both came before. */
  #id(operation: string, name: string, args: Json): string {
    const base = `${operation}/${name}/${digest(canonicalJson([operation, name, args])).slice(0, 32)}`
    const n = this.#occurrences.get(base) ?? 0
    this.#occurrences.set(base, n + 1)
    return `${base}/${n}`
  }

  // Requests of the run

  async model(call: Call<RunSettings>): Promise<Json> {
    return (await this.run.presented(call)).perform(call)
  }

  async act(call: Call<RunSettings>): Promise<Json> {
    return (await this.run.presented(call)).perform(call)
  }

  async cards(call: Call<RunSettings>): Promise<Json> {
    const { skills, installed } = this.#parts
    const { conversation, opening } = this.#models
    const previous =
      conversation === undefined || opening === undefined ? undefined : latestSelection(conversation.ledger, opening.canonical)
    return (await skills.bulletin(installed, call, previous)) as unknown as Json
  }
}

interface ActInput {
  readonly redact: readonly string[] | undefined
  readonly input: CallInput
}
