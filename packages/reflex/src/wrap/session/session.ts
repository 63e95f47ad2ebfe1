import type { Reflex } from '../../app/reflex.ts'
import { type Call, canonicalJson, digest, Fault, type FaultData, type Json } from '../../kernel/index.ts'
import type { InstalledSkill } from '../../kinds/skill/bulletin/candidates.ts'
import type { SkillTool } from '../../kinds/skill/model/skill-tool.ts'
import type { CallResult, TurnInput } from '../../kinds/skill/model/turn.ts'
import type { TurnHost } from '../../kinds/skill/turn/host.ts'
import { maskReply } from '../../kinds/skill/turn/mask-reply.ts'
import type { RunSettings } from '../../policy/index.ts'
import { latestSelection, recordSplice } from '../dialects/ledgers.ts'
import { type Fields, jsonOf } from '../dialects/loose.ts'
import { type AgentSession, callerContext } from './context.ts'
import type { Conversation, Conversations } from './conversations.ts'
import { modelReply, type ModelRequest, type PastRequest, requestDelta, withSkills } from './model-call.ts'
import { PendingCall, UNRECORDED, valueOf } from './pending-call.ts'
import type { AgentSkills } from './skills.ts'
import { redacted } from './tools.ts'
import { TurnRun } from './turn-run.ts'

/** What a session needs of its agent. */
export interface SessionParts {
  readonly reflex: Reflex
  readonly skills: AgentSkills
  readonly installed: readonly InstalledSkill[]
  readonly conversations: Conversations
  /** The name of the conversation, if the host gives one. */
  readonly conversation: string | undefined
  readonly tools: readonly SkillTool[]
  readonly signal: AbortSignal | undefined
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
  #conversation: Conversation | undefined
  #opening: ModelRequest | undefined
  #last: PastRequest | undefined

  constructor(parts: SessionParts) {
    this.#parts = parts
    this.run = new TurnRun(parts.reflex)
  }

  /** True if a call of a model has come through a proxy in this turn. */
  get hasAskedModel(): boolean {
    return this.#opening !== undefined
  }

  // Calls of the agent's code

  /** Calls a tool of the agent. Throws what the tool throws. */
  async tool(name: string, args: readonly unknown[], act: () => unknown): Promise<unknown> {
    const given = jsonOf(args.length === 1 ? args[0] : args)
    const facts = this.#parts.tools.find((tool) => tool.name === name)
    const id = this.#id('tool', name, given)
    this.run.recorded.check(id, { changes: facts?.sideEffects !== 'none', given })
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
    const pending = new PendingCall(id, async (_, call) => redacted(jsonOf(await call.try(() => inContext(act))), redact))
    const result = await this.run.settled(pending, () => input)
    if (result === UNRECORDED) return pending.attempt === undefined ? inContext(act) : valueOf(await pending.attempt)
    const attempt = await pending.attempt
    if (attempt !== undefined) return valueOf(attempt)
    if (!result.ok) throw faultOf(result)
    return 'value' in result ? result.value : undefined
  }

  /** Asks the agent's model. Returns a response as the model gives it, with the text of all rounds and without what is for skills alone. */
  async ask(request: ModelRequest): Promise<unknown> {
    this.#parts.signal?.throwIfAborted()
    const { canonical, dialect } = request
    const { conversations, conversation: name, signal } = this.#parts
    const inContext = callerContext()
    const conversation = (this.#conversation ??= conversations.find(canonical, name))
    this.#opening ??= request
    const id = this.#id('model', dialect.name, canonical as unknown as Json)
    const rounds: Fields[] = []
    const pending = new PendingCall(id, async (call, own) => {
      const sent = this.#prepared(request, call, conversation)
      const response = (await own.try(() => inContext(() => request.ask(sent, call.signal)))) as Fields
      rounds.push(response)
      return maskReply(
        modelReply(request, response),
        this.#parts.installed.map(({ skill }) => skill.manifest),
      ) as unknown as Json
    })
    const result = await this.run.settled(pending, () => this.#modelInput(id, request))
    if (result === UNRECORDED) {
      // What the model wrote after a hidden round answers a request that the agent has not made.
      if (pending.attempt !== undefined && rounds.length <= 1) return valueOf(await pending.attempt)
      return inContext(() => request.ask(request.request, signal ?? NEVER))
    }
    if (!result.ok) return valueOf((await pending.attempt) ?? { thrown: faultOf(result) })
    const response = responseOf(request, result, rounds)
    if ('reply' in result)
      conversation.ledger = recordSplice(conversation.ledger, canonical, dialect.reply(response), {
        rounds: result.hidden,
        text: result.visible,
      })
    conversations.note(conversation, canonical)
    return response
  }

  #modelInput(id: string, { canonical }: ModelRequest): TurnInput {
    const delta = requestDelta(canonical, this.#last)
    this.#last = { id, canonical }
    return { do: 'model', id, request: delta, userText: canonical.turn?.text ?? '' }
  }

  /** A mistake of Reflex sends the request as the agent made it. */
  #prepared(request: ModelRequest, call: Call<RunSettings>, conversation: Conversation): Fields {
    try {
      return withSkills(request, call, conversation)
    } catch (thrown) {
      this.run.report(`no skill is shown in ${call.run}`, thrown)
      return request.request
    }
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
    const { ledger } = this.#conversation ?? {}
    const previous = ledger === undefined || this.#opening === undefined ? undefined : latestSelection(ledger, this.#opening.canonical)
    return (await skills.bulletin(installed, call, previous)) as unknown as Json
  }
}

interface ActInput {
  readonly redact: readonly string[] | undefined
  readonly input: TurnInput
}

const NEVER = new AbortController().signal

/** Returns the response for the agent: the model's own, unless something in it is for skills alone. */
function responseOf({ dialect }: ModelRequest, result: CallResult & { readonly ok: true }, rounds: readonly Fields[]): Fields {
  if (!('reply' in result)) return {}
  const { reply, text, hidden, ownCalls } = result
  const last = rounds.at(-1) ?? (reply.raw as Fields)
  const said = reply.parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('')
  const calls = reply.parts.filter((part) => 'call' in part).length
  if (hidden.length === 0 && text === said && calls === ownCalls) return last
  return dialect.write(last, { text, rounds: rounds.length === 0 ? [last] : rounds, ownCalls })
}

/** A failure that another process has recorded. */
function faultOf({ fault }: CallResult & { readonly ok: false }): Fault {
  const { code, message, verdict, ...details } = fault as unknown as FaultData
  return new Fault(code, message, verdict, details)
}
