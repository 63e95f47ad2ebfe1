import type { z } from 'zod'
import { isFault, isObject, type JsonObject, type RunRow } from '../../kernel/index.ts'
import type { RequestOrigin } from '../../programs/route.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { isRunName } from '../../history/run-name.ts'
import { mayUse, sentBy } from '../principals.ts'
import { checkTopic } from '../check-topic.ts'
import type { ServeWorld } from '../world.ts'
import type { CHAT_REQUEST } from './request.ts'

/** The ledger of the messages of chats. */
const CHATS = 'serve.chats'

/** A message of a person, and the record after which its answer begins. */
export interface Turn {
  readonly run: string
  readonly after: number
}

type ChatRequest = z.output<typeof CHAT_REQUEST>
type Target = { readonly question: string } | { readonly topic: string } | { readonly start: true }

/**
 * Starts the run of a chat with its first message, or gives the message to the run: as the answer to its open question, else on the
 * topic that it waits for. The ledger has the target of a message before it is sent, so a message that is sent again does nothing new.
 * Throws `R6002`, `R6031` and `R6032`, and the faults of a start or an answer.
 */
export async function takeTurn(world: ServeWorld, request: ChatRequest, origin: RequestOrigin): Promise<Turn> {
  const { id: chat, trigger } = request
  if (trigger !== 'submit-message')
    throw serveFaults.make('R6032', `the chat ${chat} cannot be changed: a record is never taken back`, {
      fix: `fork the run before the message, and chat with the fork: reflex fork ${chat}@RECORD`,
    })
  if (!isRunName(chat)) throw serveFaults.make('R6032', `${JSON.stringify(chat)} cannot be the name of a run`)
  const message = lastMessage(request)
  const name = `${chat}/${message.id}`
  const known = await turnNamed(world, name)
  const { target, after } = known ?? (await newTurn(world, request, name))
  if ('start' in target) await start(world, request, message.text, origin)
  else await deliver(world, { chat, name, target, isRepeated: known !== undefined }, message.text, origin)
  world.feeds.wake(chat)
  return { run: chat, after }
}

interface StoredTurn {
  readonly target: Target
  readonly after: number
}

/** Writes the target of a new message. Of two requests with the same message, both get that of the first one. Throws `R6031`. */
async function newTurn(world: ServeWorld, { id: chat, topic }: ChatRequest, name: string): Promise<StoredTurn> {
  const { store, host } = world.reflex
  const { row } = (await store.read(chat, 0)) ?? {}
  const target = row === undefined ? { start: true as const } : targetIn(row, topic)
  const turn = { target, after: row?.last ?? 0 }
  await store.appendAll(
    CHATS,
    name,
    [chat, name].map((named) => ({ name: named, value: turn })),
    host.now(),
  )
  return (await turnNamed(world, name)) ?? turn
}

/** Returns the newest message of a chat; undefined if it has none. */
export async function lastTurn(world: ServeWorld, chat: string): Promise<Turn | undefined> {
  const turn = await turnNamed(world, chat)
  return turn === undefined ? undefined : { run: chat, after: turn.after }
}

async function turnNamed({ reflex: { store } }: ServeWorld, name: string): Promise<StoredTurn | undefined> {
  const [entry] = (await store.latest(CHATS, [name])).entries
  if (!isObject(entry?.value)) return undefined
  const { target, after } = entry.value
  return { target: target as unknown as Target, after: typeof after === 'number' ? after : 0 }
}

function lastMessage({ id, messages }: ChatRequest): { readonly id: string; readonly text: string } {
  const message = messages.at(-1)
  const texts = message?.parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])) ?? []
  if (message === undefined || message.role !== 'user' || texts.length === 0)
    throw serveFaults.make('R6032', `the last message of ${id} is not a text of a user`)
  return { id: message.id, text: texts.join('\n') }
}

/** Returns what a run waits for from a person. Throws `R6031` if that is nothing, or more than one thing. */
function targetIn({ id, status, waits }: RunRow, topic: string | undefined): Target {
  const hasEnded = status === 'completed' || status === 'failed' || status === 'cancelled'
  if (topic !== undefined && !hasEnded) return { topic }
  const questions = waits.filter(({ type }) => type === 'answer')
  const topics = new Set(waits.flatMap(({ type, name }) => (type === 'message' ? [name] : [])))
  const [[question], [only]] = [questions, [...topics]]
  if (!hasEnded && question !== undefined && questions.length === 1) return { question: `${id}/q${question.number}` }
  if (!hasEnded && questions.length === 0 && only !== undefined && topics.size === 1) return { topic: only }
  throw serveFaults.make('R6031', `${id} ${hasEnded ? `has ${status}` : 'does not wait for exactly one message now'}`, { run: id })
}

/** Starts the run. The same message starts it once. */
async function start(world: ServeWorld, { id, program, input, as }: ChatRequest, text: string, origin: RequestOrigin): Promise<void> {
  if (program === undefined) throw serveFaults.make('R6032', `the chat ${id} has no run yet, and the request names no program`)
  const body: JsonObject = { program, id, input: { ...input, [as]: text } }
  const header = (name: string): string | undefined => (name === 'idempotency-key' ? `chat/${id}` : origin.header(name))
  await world.call('runs.start', { body }, { ...origin, header })
}

interface Delivery {
  readonly chat: string
  readonly name: string
  readonly target: Exclude<Target, { readonly start: true }>
  /** True if an earlier request may have delivered it. */
  readonly isRepeated: boolean
}

async function deliver(world: ServeWorld, delivery: Delivery, text: string, { principal }: RequestOrigin): Promise<void> {
  const { reflex } = world
  const { chat, name, target, isRepeated } = delivery
  if (!mayUse(principal, 'answer'))
    throw serveFaults.make('R6002', `the token ${principal.name} may not answer, which a message to a run needs`)
  if ('topic' in target) await checkTopic(reflex, chat, target.topic, principal)
  const sent = sentBy(world.holder(principal))
  try {
    if ('topic' in target) await reflex.signal(chat, target.topic, text, { ...sent, id: `chat:${name}` })
    else await reflex.answer(target.question, text, sent)
  } catch (thrown) {
    // The first request has answered it, and the run may have ended since.
    if (!isRepeated || !isFault(thrown) || (thrown.code !== 'R2002' && thrown.code !== 'R2001')) throw thrown
  }
}
