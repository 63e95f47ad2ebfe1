import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Json } from '../../src/kernel/journal/json.ts'
import type { Store } from '../../src/kernel/ports/store.ts'
import { openSqlite } from '../../src/store/index.ts'
import { type KindSubject, kindSuite } from '../../src/testing/index.ts'
import { SUBJECTS } from './probes/subjects.ts'
import { kindOf, type Step } from './world.ts'

for (const subject of SUBJECTS) {
  describe(`the kind suite: ${subject.name}`, () => {
    for (const { name, run } of kindSuite(subject)) it(name, run)
  })
}

/** The cases in which a store must keep what a process leaves. */
const DISTURBED = /closed and opened again|resumes from every record|a crash at every commit/

describe.each(['beat', 'net', 'talk'])('the kind suite on SQLite: %s', (subjectName) => {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-kinds-'))
  const stores: Store[] = []
  let files = 0
  afterAll(async () => {
    for (const store of stores) await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const store = (): Store => {
    const opened = openSqlite(join(folder, `${++files}.db`))
    stores.push(opened)
    return opened
  }
  const subject = SUBJECTS.find(({ name }) => name === subjectName)
  if (subject === undefined) throw new Error(subjectName)
  for (const { name, run } of kindSuite({ ...subject, store })) if (DISTURBED.test(name)) it(name, run)
})

/** Which promises a subject breaks. */
async function broken(subject: KindSubject): Promise<string[]> {
  const names: string[] = []
  for (const { name, run } of kindSuite(subject)) {
    try {
      await run()
    } catch {
      names.push(name.slice(subject.name.length + 2))
    }
  }
  return names
}

describe('the kind suite finds', () => {
  const programs = [{ kind: 'bad', id: 'bad', source: {} }]
  const asks = (name: string, step: Step): KindSubject => ({
    name,
    kinds: [kindOf('bad', step)],
    programs,
    ports: () => ({ out: { leaves: true, repeat: 'ask', perform: async () => 'out' } }),
    script: { answer: () => 'yes' },
  })

  it('a kind that remembers outside its frame', async () => {
    let steps = 0
    const found = await broken(asks('impure', (x, input) => (input === undefined ? void x.wait('answer', 'q') : x.done(++steps))))
    expect(found).toContain('has the same state folded, live, replayed and from a snapshot of every record')
    expect(found).toContain('resumes from every record')
  })

  it('a position that is not JSON', async () => {
    const found = await broken(
      asks('odd', (x, input) => {
        if (input !== undefined) return x.done()
        x.go({ a: new Date(0) } as unknown as Json)
        x.wait('answer', 'q')
        return undefined
      }),
    )
    expect(found).toContain('publishes every record once, in order, as JSON')
  })

  it('a kind that loses the outcome of an effect in doubt', async () => {
    const found = await broken(
      asks('forgetful', (x, input) => (input === undefined ? void x.request('out') : x.done([x.record, x.pendingEffects().length]))),
    )
    expect(found).toContain('resumes from every record')
  })
})
