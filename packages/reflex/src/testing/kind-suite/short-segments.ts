import type { KindSubject } from './subject.ts'

/** The size of the segments in the suites, so that short runs have some. */
const RECORDS = 4

/** Returns the subject with short segments for its kinds that may never end, or with segments of another size. */
export function withShortSegments(subject: KindSubject, size?: number): KindSubject {
  const kinds = subject.kinds.map((kind) =>
    kind.endless === undefined ? kind : { ...kind, endless: size ?? Math.min(RECORDS, kind.endless) },
  )
  return { ...subject, kinds }
}

/** True if the runs of a subject are sealed. */
export function isSealed({ kinds, programs: [root] }: KindSubject): boolean {
  return kinds.find(({ name }) => name === root?.kind)?.endless !== undefined
}
