import { describe, expect, it } from 'vitest'
import { Reflex } from '../../../../src/app/reflex.ts'
import { decodeBatch, type Json, replay } from '../../../../src/kernel/index.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { historyNames, readHistory } from '../../../histories/history.ts'

const NAMES = historyNames().filter((name) => name.includes('/skill-'))
const { programs } = new Reflex({ store: memoryStore() }).runtime
for (const kind of ['skill', 'turn']) await programs.load(kind)

describe('the recorded turns of agents with skills', () => {
  // proves: skill 146
  it('have every end', () => {
    const journals = NAMES.map((name) => JSON.stringify(readHistory(name).batches))
    const ends = ['ok', 'noop', 'denied', 'clarify', 'failed', 'partial_failure', 'rejected']
    expect(ends.filter((end) => !journals.some((journal) => journal.includes(end)))).toEqual([])
    expect(NAMES.length).toBeGreaterThanOrEqual(50)
  })

  // proves: skill 146
  it.each(NAMES)('replay equally: %s', (name) => {
    const { programs: kept, batches, blobs } = readHistory(name)
    const records = batches.flatMap(({ version, body }) => decodeBatch(version, body, (hash) => blobs.get(hash) ?? 'null'))
    const known = programs.copyKinds()
    const pins = records.flatMap(({ more }) => [...(more?.start?.pins ?? []), ...(more?.pin ?? [])])
    for (const pin of pins) known.restore(pin, JSON.parse(kept.find(({ hash }) => hash === pin[3])?.source ?? 'null') as Json)
    expect(replay(records, known).difference).toBeUndefined()
  })
})
