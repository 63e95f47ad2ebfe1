import type { Json } from '../../kernel/index.ts'
import { GUIDANCE } from '../../kinds/skill/bulletin/guidance.ts'
import { hashOf } from '../../kinds/skill/gate/sha256.ts'
import type { Bulletin } from '../../kinds/skill/model/card.ts'
import { faults } from '../../kinds/skill/protocol/faults.ts'
import type { CanonicalMessage, CanonicalReply, CanonicalRequest, Injection, Splice } from './contract.ts'
import { argumentsOf } from './loose.ts'

/** What was attached to a message, by the SHA-256 of the message as the agent sends it and of the message before it. */
interface LedgerEntry<Value> {
  /** The hashes that the message may have: dialects differ in whether text and calls are one message. */
  readonly hashes: readonly string[]
  readonly after: string
  readonly value: Value
}

interface AttachedBulletin {
  readonly turn: string
  readonly text: string
  readonly selection: string
}

/**
 * What Reflex has put into a conversation that the agent does not know of, as data. Every request is made of it, so that its bytes stay and
 * requests grow at their end alone. Without it (after a restart) a provider's cache misses once, and nothing else changes (reference skill 1.14).
 */
export interface ConversationLedger {
  readonly bulletins: readonly LedgerEntry<AttachedBulletin>[]
  readonly splices: readonly LedgerEntry<Splice>[]
  /** The executions whose result a model has. */
  readonly results: readonly string[]
}

export const EMPTY_LEDGER: ConversationLedger = { bulletins: [], splices: [], results: [] }

/**
 * Returns the `selection` of the latest bulletin that the conversation still shows before the message that opens the turn: a turn with
 * an equal one needs only a mark.
 */
export function latestSelection(ledger: ConversationLedger, request: CanonicalRequest): string | undefined {
  const before = request.messages.slice(0, request.turn?.index ?? 0)
  return [...matches(ledger.bulletins, before.map(messageHash)).values()].at(-1)?.selection
}

/**
 * Attaches the bulletin of a turn to the message that opened it. Does nothing for a turn that has its bulletin, for an empty one, and for a
 * request without text of a user.
 */
export function attachBulletin(
  ledger: ConversationLedger,
  request: CanonicalRequest,
  turn: string,
  { text, selection }: Pick<Bulletin, 'text' | 'selection'>,
): ConversationLedger {
  if (text === '' || request.turn === undefined || ledger.bulletins.some(({ value }) => value.turn === turn)) return ledger
  const hashes = request.messages.map(messageHash)
  const { index } = request.turn
  const entry = { hashes: [hashes[index] ?? ''], after: hashes[index - 1] ?? '', value: { turn, text, selection } }
  return { ...ledger, bulletins: [...ledger.bulletins, entry] }
}

/** Returns what is put into a request: every bulletin and hidden exchange whose message is still there. Guidance and tools come with the first. */
export function injectionOf(ledger: ConversationLedger, request: CanonicalRequest, carrier: 'text' | 'tool'): Injection {
  const hashes = request.messages.map(messageHash)
  const bulletins = matches(ledger.bulletins, hashes)
  const splices = matches(ledger.splices, hashes)
  const isUsed = bulletins.size + splices.size > 0
  return {
    guidance: isUsed ? GUIDANCE[carrier] : '',
    tools: isUsed && carrier === 'tool',
    bulletins: new Map([...bulletins].map(([index, { text }]) => [index, text])),
    splices,
  }
}

/**
 * Stores the hidden exchange before a reply, under the hash that the reply has when the agent sends it back. `request` is the one that
 * the agent sent, `reply` what it got. If the agent changes or drops the message, nothing is put in.
 */
export function recordSplice(
  ledger: ConversationLedger,
  request: CanonicalRequest,
  reply: CanonicalReply,
  splice: Splice,
): ConversationLedger {
  if (splice.rounds.length === 0) return ledger
  const last = request.messages.at(-1)
  const entry = { hashes: replyHashes(reply), after: last === undefined ? '' : messageHash(last), value: splice }
  return { ...ledger, splices: [...ledger.splices, entry] }
}

/** Notes that the model gets the result of an execution. Throws `R1464` for the second time, which is a mistake of Reflex. */
export function recordResult(ledger: ConversationLedger, execution: string): ConversationLedger {
  if (ledger.results.includes(execution))
    throw faults.make('R1464', `execution ${execution} already has its SKILL_RESULT`, { rule: 'E_RESULT_DUPLICATE' })
  return { ...ledger, results: [...ledger.results, execution] }
}

/** Returns the SHA-256 of what an agent says with a message: no ids, and for the assistant no reasoning, which agents drop. */
export function messageHash({ role, parts }: CanonicalMessage): string {
  const text = parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('')
  const calls = parts.flatMap((part) => ('call' in part ? [{ name: part.name, arguments: part.arguments }] : []))
  const results = parts.flatMap((part) => ('value' in part ? [part.value] : []))
  const data = role === 'assistant' ? [] : parts.flatMap((part) => ('data' in part ? [part.data] : []))
  return contentHash(role, text, calls, [...results, ...data])
}

/** The hashes of a reply as one message, as a message of its text, and as its first call. */
function replyHashes({ parts }: CanonicalReply): readonly string[] {
  const text = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('')
  const calls = parts.flatMap((part) => (part.kind === 'call' ? [{ name: part.name, arguments: argumentsOf(part.arguments) }] : []))
  const part = text === '' ? contentHash('assistant', '', calls.slice(0, 1), []) : contentHash('assistant', text, [], [])
  return [...new Set([contentHash('assistant', text, calls, []), part])]
}

function contentHash(role: string, text: string, calls: Json, others: readonly Json[]): string {
  return hashOf({ role, text: text.trim(), calls, others })
}

/**
 * Returns the entries whose message is in a conversation, by its index. Where several messages are equal, the message before decides, then
 * the order; what stays ambiguous is left out.
 */
function matches<Value>(entries: readonly LedgerEntry<Value>[], hashes: readonly string[]): Map<number, Value> {
  const found = new Map<number, Value>()
  const used = new Set<LedgerEntry<Value>>()
  const take = (index: number, entry: LedgerEntry<Value> | undefined): void => {
    if (entry === undefined || used.has(entry)) return
    used.add(entry)
    found.set(index, entry.value)
  }
  const byHash = new Map<string, LedgerEntry<Value>[]>()
  for (const entry of entries) for (const hash of entry.hashes) byHash.set(hash, [...(byHash.get(hash) ?? []), entry])
  hashes.forEach((hash, index) => {
    const after = hashes[index - 1] ?? ''
    take(
      index,
      byHash.get(hash)?.find((entry) => entry.after === after && !used.has(entry)),
    )
  })
  hashes.forEach((hash, index) => {
    const candidates = byHash.get(hash) ?? []
    if (!found.has(index) && candidates.length === 1) take(index, candidates[0])
  })
  return new Map([...found].toSorted(([a], [b]) => a - b))
}
