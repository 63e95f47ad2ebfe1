import { concealed, type ContentHash, hashMark, hidesContents } from '../journal/contents.ts'
import { digest } from '../journal/digest.ts'
import { canonicalJson } from '../journal/json.ts'
import type { Rec } from '../journal/record.ts'
import type { Host } from '../ports/host.ts'
import type { Batch, Message, OpenWait } from '../ports/store.ts'
import { concealedRecord, resultShape, waitShape } from '../step/concealed-record.ts'
import type { Definitions } from '../step/decide.ts'
import type { State } from '../state/state.ts'

/**
 * The form in which the records of a run are stored. A run that keeps no contents has them in the memory of its process alone: what is stored has
 * hashes in their place. Records are concealed before they are applied, because the state then still has the effects and questions that they settle.
 */
export class StoredForm {
  readonly #state: State
  readonly #definitions: Definitions
  readonly #hash: ContentHash
  readonly #concealed = new WeakMap<Rec, Rec>()

  constructor(state: State, definitions: Definitions, hash: ContentHash) {
    this.#state = state
    this.#definitions = definitions
    this.#hash = hash
  }

  /** True if the run keeps hashes in place of contents. Nothing can be continued from such records, so they need no snapshot. */
  get hidesContents(): boolean {
    return hidesContents(this.#state)
  }

  /** Takes a record before it is applied. */
  add(record: Rec): void {
    if (!this.hidesContents && !hidesContents({ start: record.more?.start })) return
    this.#concealed.set(record, concealedRecord(record, this.#state, this.#definitions, this.#hash))
  }

  record(record: Rec): Rec {
    return this.#concealed.get(record) ?? record
  }

  message(message: Message): Message {
    return this.hidesContents ? { ...message, body: this.#hash(message.body) } : message
  }

  row(row: Batch['row']): Batch['row'] {
    if (!this.hidesContents) return row
    const { waits, value, ...rest } = row
    const shape = resultShape(this.#state, this.#definitions, this.#state.ended?.status === 'failed')
    return {
      ...rest,
      waits: waits.map((wait) => this.#wait(wait)),
      ...(value === undefined ? {} : { value: concealed(value, shape, this.#hash) }),
    }
  }

  #wait(wait: OpenWait): OpenWait {
    const frame = this.#state.waits.get(wait.id)?.frame
    if (wait.about === undefined || frame === undefined) return wait
    return { ...wait, about: concealed(wait.about, waitShape(frame, wait.name, this.#definitions), this.#hash) }
  }
}

/** Returns hashes under a key that is in no record. */
export function ownHash(host: Host): ContentHash {
  let key: string | undefined
  return (value) => hashMark(digest(`${(key ??= host.entropy() + host.entropy())}${canonicalJson(value)}`))
}
