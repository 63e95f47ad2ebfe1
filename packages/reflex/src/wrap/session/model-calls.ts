import type { Call, Json } from '../../kernel/index.ts'
import type { CallResult, ModelReply } from '../../kinds/skill/model/turn.ts'
import { protocolCall } from '../../kinds/skill/protocol/native.ts'
import type { RunSettings } from '../../policy/index.ts'
import type { CanonicalReply } from '../dialects/contract.ts'
import { recordSplice } from '../dialects/ledgers.ts'
import type { Fields } from '../dialects/loose.ts'
import { callerContext } from './context.ts'
import { recordedStream } from './chunk-record.ts'
import type { Conversation, Conversations } from './conversations.ts'
import { modelReply, type ModelRequest, openRequest, type PastRequest, requestDelta, withSkills } from './model-call.ts'
import { PendingCall, UNRECORDED, valueOf } from './pending-call.ts'
import type { CallInput } from './recorded-calls.ts'
import { recordedFault } from './recorded-fault.ts'
import { ReplyStream, type StreamRequest } from './reply-stream.ts'
import type { TurnRun } from './turn-run.ts'

/** What the calls of models need of their session. */
export interface ModelCallsParts {
  readonly run: TurnRun
  readonly conversations: Conversations
  /** The name of the conversation, if the host gives one. */
  readonly conversation: string | undefined
  readonly signal: AbortSignal | undefined
  /** Returns the id of a call. */
  readonly id: (operation: string, name: string, args: Json) => string
}

type ModelResult = Extract<CallResult, { readonly reply: unknown }>

/** A call of a model that was made known to its conversation. */
interface BegunCall {
  readonly id: string
  readonly conversation: Conversation
}

/** The calls of models in one turn, whole and as streams. */
export class ModelCalls {
  readonly #parts: ModelCallsParts
  #conversation: Conversation | undefined
  #opening: ModelRequest | StreamRequest | undefined
  #last: PastRequest | undefined

  constructor(parts: ModelCallsParts) {
    this.#parts = parts
  }

  get conversation(): Conversation | undefined {
    return this.#conversation
  }

  /** The first call of the turn. */
  get opening(): ModelRequest | StreamRequest | undefined {
    return this.#opening
  }

  /** Asks the agent's model. Returns a response as the model gives it, with the text of all rounds and without what is for skills alone. */
  async ask(request: ModelRequest): Promise<unknown> {
    const { run, signal } = this.#parts
    const begun = this.#begin(request, request.dialect.name)
    const inContext = callerContext()
    const rounds: Fields[] = []
    const pending = new PendingCall(begun.id, async (call, own) => {
      const sent = this.#prepared(request, call, begun.conversation)
      const response = (await own.try(() => inContext(() => request.ask(sent, run.signalOf(call))))) as Fields
      rounds.push(response)
      return modelReply(request, response) as unknown as Json
    })
    const result = await run.settled(pending, () => this.#input(begun.id, request))
    if (result === UNRECORDED) {
      // What the model wrote after a hidden round answers a request that the agent has not made.
      if (pending.attempt !== undefined && rounds.length <= 1) return valueOf(await pending.attempt)
      return inContext(() => request.ask(request.request, signal ?? NEVER))
    }
    if (!result.ok) return valueOf((await pending.attempt) ?? { thrown: recordedFault(result) })
    if (!('reply' in result)) return {}
    const last = rounds.at(-1) ?? ((await run.response(result.effect)) as Fields | undefined)
    const response = responseOf(request, { result, last, rounds })
    this.#note(request, begun.conversation, { result, reply: request.dialect.reply(response) })
    return response
  }

  /**
   * Asks the agent's model for a stream. Resolves when the model's stream is open, and rejects with what its client throws until then. The
   * chunks of all rounds come as one stream, at once; those of a resumed turn that has the reply come from its record.
   */
  async stream(request: StreamRequest): Promise<AsyncIterableIterator<Fields>> {
    const { run } = this.#parts
    const begun = this.#begin(request, `${request.dialect.name}-stream`)
    const inContext = callerContext()
    const stream = new ReplyStream(request, (thrown) => run.report('the chunks of a stream pass as they are', thrown))
    const pending = new PendingCall(begun.id, async (call, own) => {
      const sent = this.#prepared(request, call, begun.conversation)
      const { visible, enabled } = openRequest(call)
      const round = {
        request: sent,
        signal: run.signalOf(call),
        enabled,
        before: visible,
        onText: (text: string) => call.part({ text }),
      }
      return (await own.try(() => inContext(() => stream.round(round)))) as unknown as Json
    })
    void this.#finish(stream, { request, begun, pending, inContext })
    return stream.opened.promise
  }

  /** Ends a stream when the run has its result. */
  async #finish(stream: ReplyStream, { request, begun, pending, inContext }: OpenStream): Promise<void> {
    const { run, signal } = this.#parts
    try {
      const result = await run.settled(pending, () => this.#input(begun.id, request))
      if (result === UNRECORDED) {
        if (pending.attempt === undefined) return await inContext(() => stream.pass(signal ?? NEVER))
        const reply = valueOf(await pending.attempt) as ModelReply
        return stream.settle(textOf(reply))
      }
      if (!result.ok) {
        if (pending.attempt !== undefined) valueOf(await pending.attempt)
        throw recordedFault(result)
      }
      if (!('reply' in result)) return stream.settle('')
      this.#note(request, begun.conversation, { result, reply: agentReply(result) })
      if (stream.hasRounds) stream.settle(result.text)
      else stream.replay(recordedStream(await run.response(result.effect)), result.text, result.reply.isCut === true)
    } catch (thrown) {
      stream.fail(thrown)
    }
  }

  #begin(request: ModelRequest | StreamRequest, name: string): BegunCall {
    const { conversations, conversation, signal, id } = this.#parts
    signal?.throwIfAborted()
    this.#conversation ??= conversations.find(request.canonical, conversation)
    this.#opening ??= request
    return { id: id('model', name, request.canonical as unknown as Json), conversation: this.#conversation }
  }

  /** Keeps what the conversation must know of a reply, for later requests. */
  #note({ canonical }: Pick<ModelRequest, 'canonical'>, conversation: Conversation, { result, reply }: Answer): void {
    const { hidden, visible } = result
    conversation.ledger = recordSplice(conversation.ledger, canonical, reply, { rounds: hidden, text: visible })
    this.#parts.conversations.note(conversation, canonical)
  }

  #input(id: string, { canonical }: Pick<ModelRequest, 'canonical'>): CallInput {
    const delta = requestDelta(canonical, this.#last)
    this.#last = { id, canonical }
    return { do: 'model', id, request: delta, userText: canonical.turn?.text ?? '' }
  }

  /** A mistake of Reflex sends the request as the agent made it. */
  #prepared(request: Omit<ModelRequest, 'ask'>, call: Call<RunSettings>, conversation: Conversation): Fields {
    try {
      return withSkills(request, call, conversation)
    } catch (thrown) {
      this.#parts.run.report(`no skill is shown in ${call.run}`, thrown)
      return request.request
    }
  }
}

interface OpenStream {
  readonly request: StreamRequest
  readonly begun: BegunCall
  readonly pending: PendingCall
  readonly inContext: ReturnType<typeof callerContext>
}

/** What the agent gets of a request. */
interface Answer {
  readonly result: ModelResult
  readonly reply: CanonicalReply
}

interface RecordedReply {
  readonly result: ModelResult
  /** The model's last response; undefined if the store does not have it any more. */
  readonly last: Fields | undefined
  readonly rounds: readonly Fields[]
}

const NEVER = new AbortController().signal

/** Returns the response for the agent: the model's own, unless something in it is for skills alone. */
function responseOf({ dialect }: ModelRequest, { result, last, rounds }: RecordedReply): Fields {
  const { reply, text, hidden, ownCalls } = result
  const calls = reply.parts.filter((part) => 'call' in part).length
  if (last !== undefined && hidden.length === 0 && text === textOf(reply) && calls === ownCalls) return last
  const known = rounds.length === 0 && last !== undefined ? [last] : rounds
  return dialect.write(last ?? {}, { text, rounds: known, ownCalls })
}

/** Returns a streamed reply as the agent puts it together. */
function agentReply({ text, ownCalls, reply }: ModelResult): CanonicalReply {
  const calls = reply.parts.flatMap((part) => ('call' in part && protocolCall(part.call.name) === undefined ? [part.call] : []))
  return {
    parts: [
      ...(text === '' ? [] : [{ kind: 'text', text } as const]),
      ...calls.slice(0, ownCalls).map((call) => ({ kind: 'call', ...call }) as const),
    ],
    usage: {},
  }
}

function textOf({ parts }: Pick<ModelReply, 'parts'>): string {
  return parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('')
}
