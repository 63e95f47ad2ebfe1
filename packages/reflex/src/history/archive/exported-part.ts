import { historyFaults } from '../faults.ts'
import { faults as kernelFaults, type RunRow, type Segment, type Store } from '../../kernel/index.ts'

/** The records of a run that are exported. */
export interface ExportedPart {
  /** The record before the first one; 0 if it is the first of the run. */
  readonly opens: number
  readonly last: number
  /** The number of the segment with the first of them. */
  readonly number: number
  /** The sealed segments. */
  readonly seals: readonly Pick<Segment, 'number' | 'last'>[]
  /** The state before the first of them, as the text of a snapshot; absent if the run begins with it. */
  readonly snapshot?: string
  /** The checksum of the records before them, and the hash of the archive that has them, as far as the store knows them. */
  readonly chain?: number
  readonly archive?: string
}

/** Returns the part of a run from its first record in the store to the end of a segment. Throws `R2140`, `R2145` and `R5054`. */
export async function partOf(store: Store, { id, last }: RunRow, through: number | undefined): Promise<ExportedPart> {
  const segments = await store.segments(id)
  const end = through === undefined ? undefined : await sealedSegment(store, id, segments, through)
  const [first] = segments.filter(({ place, first }) => place !== 'gone' && first <= last)
  const before = segments.findLast(({ place }) => place === 'gone')
  if (first === undefined)
    throw historyFaults.make('R2145', `the records of ${id} up to ${last} are in the archive ${before?.archive ?? ''}`, { run: id })
  const until = end?.last ?? last
  // The last record of a running run can be older than its newest segment.
  const seals = segments.filter(({ sealed, number, last: sealedAt }) => sealed && number >= first.number && sealedAt <= until)
  const { opens, number } = first
  if (opens === 0) return { opens, number, last: until, seals }
  return {
    opens,
    number,
    last: until,
    seals,
    snapshot: await openingOf(store, id, opens),
    ...(before === undefined ? {} : { chain: before.chain }),
    ...(before?.archive === undefined ? {} : { archive: before.archive }),
  }
}

async function sealedSegment(store: Store, run: string, segments: readonly Segment[], through: number): Promise<Segment> {
  const found = segments.find(({ number, sealed }) => number === through && sealed)
  if (found === undefined) {
    const last = segments.findLast(({ sealed }) => sealed)?.number
    const known = last === undefined ? 'it was never sealed' : `its last sealed segment is ${last}`
    throw historyFaults.make('R2140', `${run} has no sealed segment ${through}; ${known}`, { run })
  }
  // Throws for a segment that is in an archive, and names the archive.
  if (found.place === 'gone') await store.segment(run, through)
  return found
}

async function openingOf(store: Store, run: string, opens: number): Promise<string> {
  const { snapshot } = (await store.read(run, opens)) ?? {}
  if (snapshot?.at === opens) return snapshot.body
  throw kernelFaults.make('R5003', `${run}: the state after record ${opens} is missing`, { run, data: { record: opens } })
}
