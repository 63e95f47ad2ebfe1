/**
 * A process that follows runs of another one: `node follower.ts ADDRESS RUN…`. Its parent sends how: `announced`, `asked` or `not`. It sends
 * each last record that it sees, with the time at which it saw it.
 */
import { parseArgs } from 'node:util'
import { systemHost } from '../../packages/reflex/src/kernel/index.ts'
import { type Follower, Followers } from '../../packages/reflex/src/kernel/run/followers.ts'
import { openPostgres } from '../../packages/reflex/src/store/index.ts'

/** The way in which the runs are followed. */
export type How = 'not' | 'asked' | 'announced'

const { positionals } = parseArgs({ allowPositionals: true })
const [address = '', ...runs] = positionals
const store = openPostgres(address)
const silent = openPostgres(address)
Object.defineProperty(silent, 'follow', { value: undefined })
const ways = { announced: new Followers(store, systemHost), asked: new Followers(silent, systemHost) }

class Seen implements Follower {
  readonly id: string
  readonly isAwaited = true
  readonly isBehind = false
  readonly #followers: Followers
  #last = 0

  constructor(id: string, followers: Followers) {
    this.id = id
    this.#followers = followers
    followers.add(this)
  }

  async look(): Promise<void> {
    const last = (await store.read(this.id, 0))?.row.last ?? 0
    if (last === this.#last) return
    this.#last = last
    process.send?.({ run: this.id, last, at: Date.now() })
  }

  close(): void {
    this.#followers.delete(this)
  }
}

let seen: readonly Seen[] = []
process.on('message', (how: How) => {
  for (const one of seen) one.close()
  seen = how === 'not' ? [] : runs.map((run) => new Seen(run, ways[how]))
  process.send?.('follows')
})
process.once('disconnect', () => process.exit())
