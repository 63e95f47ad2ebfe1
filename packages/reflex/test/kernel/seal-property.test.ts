import { assert, asyncProperty, integer } from 'fast-check'
import { expect, it } from 'vitest'
import { drawnMixture } from '../../../../scripts/faults/mixtures.ts'
import type { Rec } from '../../src/kernel/journal/record.ts'
import { dumpState, loadState } from '../../src/kernel/state/snapshot.ts'
import { State } from '../../src/kernel/state/state.ts'
import { memoryStore } from '../../src/store/index.ts'
import type { KindSubject } from '../../src/testing/index.ts'
import { outcomeOf, ProcessLife, RUN, textOf } from '../../src/testing/kind-suite/process-life.ts'
import { segmentErrors } from '../../src/testing/kind-suite/segments.ts'
import { Watch } from '../../src/testing/kind-suite/watch.ts'
import { KINDS, sealing } from './probes/subjects.ts'

/** Plays a subject to its end. */
async function played(subject: KindSubject) {
  const store = memoryStore()
  const life = new ProcessLife(subject, store, new Watch())
  const run = await life.begin()
  if (run === undefined) throw new Error('the run was lost')
  await life.play(run)
  const { records } = await life.runtime.history(RUN)
  return { run, store, records, errors: await segmentErrors(life.runtime, store, RUN, subject) }
}

function isSeal({ input }: Rec): boolean {
  return input?.[0] === 'kernel' && input[1] === 'seal'
}

/** Folds records. After each record for which `cuts` is true, continues from a copy of the state that was made from its snapshot. */
function fold(records: readonly Rec[], cuts: (record: Rec) => boolean, hasHistory: (state: State) => (pin: number) => boolean): State {
  let state = new State()
  for (const record of records) {
    state.apply(record)
    if (cuts(record)) state = loadState(JSON.parse(JSON.stringify(dumpState(state, hasHistory(state)))) as ReturnType<typeof dumpState>)
  }
  return state
}

/** The board, the position and the end of the root: all that does not name records. */
function rootOf(state: State): object {
  return { ...outcomeOf(state), position: state.root.position ?? null, time: state.time, frames: state.frames.size, pins: state.pins }
}

it('random runs with segments of any size fold to the same state whole, cut at every seal, and without seals', async () => {
  let seals = 0
  await assert(
    asyncProperty(integer({ min: 1, max: 100_000 }), integer({ min: 1, max: 9 }), async (seed, size) => {
      const subject: KindSubject = { ...drawnMixture(seed), kinds: sealing(size) }
      const hasHistory =
        ({ pins }: State) =>
        (pin: number) =>
          subject.kinds.find(({ name }) => name === pins[pin]?.[1])?.board?.history === true
      const { run, records, errors } = await played(subject)
      seals += records.filter(isSeal).length
      expect(errors).toEqual([])
      const live = textOf(run.state, subject)
      expect(
        textOf(
          fold(records, () => false, hasHistory),
          subject,
        ),
      ).toBe(live)
      expect(textOf(fold(records, isSeal, hasHistory), subject)).toBe(live)
      const unsealed = await played({ ...subject, kinds: KINDS })
      expect(unsealed.records.filter(isSeal)).toEqual([])
      expect(records.length - records.filter(isSeal).length).toBe(unsealed.records.length)
      expect(rootOf(run.state)).toEqual(rootOf(unsealed.run.state))
    }),
    { numRuns: 60 },
  )
  expect(seals).toBeGreaterThan(60)
})
