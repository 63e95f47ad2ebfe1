import { digest } from '../../kernel/index.ts'
import type { CanonicalRequest } from '../dialects/contract.ts'
import { type ConversationLedger, EMPTY_LEDGER, messageHash } from '../dialects/ledgers.ts'

/** What Reflex has put into one conversation. It changes with each turn. */
export interface Conversation {
  ledger: ConversationLedger
  /** The key under which it is found by its messages. */
  key?: string
}

/** The most conversations that are remembered; a forgotten one costs a miss of the provider's cache, and nothing else. */
const MOST = 1000

/** The conversations of an agent: by the name that the host gives, otherwise by the messages that a request begins with. */
export class Conversations {
  readonly #named = new Map<string, Conversation>()
  readonly #byMessages = new Map<string, Conversation>()

  /** Returns the conversation that a request continues, or a new one. */
  find(request: CanonicalRequest, name: string | undefined): Conversation {
    if (name !== undefined) return remember(this.#named, name, this.#named.get(name) ?? { ledger: EMPTY_LEDGER })
    const known = prefixes(request)
      .slice(0, request.turn?.index ?? 0)
      .toReversed()
      .map((key) => this.#byMessages.get(key))
      .find((one) => one !== undefined)
    return known ?? { ledger: EMPTY_LEDGER }
  }

  /** Notes the newest request of a conversation, by which its next turn finds it. */
  note(conversation: Conversation, request: CanonicalRequest): void {
    const key = prefixes(request).at(-1)
    if (key === undefined) return
    if (conversation.key !== undefined) this.#byMessages.delete(conversation.key)
    conversation.key = key
    remember(this.#byMessages, key, conversation)
  }
}

/** Returns a hash for each number of first messages, from one on. */
function prefixes({ messages }: CanonicalRequest): readonly string[] {
  let key = ''
  return messages.map((message) => (key = digest(`${key}\n${messageHash(message)}`)))
}

function remember(map: Map<string, Conversation>, key: string, conversation: Conversation): Conversation {
  map.delete(key)
  map.set(key, conversation)
  const [oldest] = map.keys()
  if (map.size > MOST && oldest !== undefined) map.delete(oldest)
  return conversation
}
