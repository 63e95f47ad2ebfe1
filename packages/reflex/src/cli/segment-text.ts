import type { Segment } from '../kernel/index.ts'
import { isSealed } from '../protocol/view-document.ts'

/** Returns the segments of a run in words, neighbours of one place together; nothing for a run that was never sealed. */
export function segmentText(segments: readonly Segment[]): string {
  if (!isSealed(segments)) return ''
  const groups: { from: Segment; to: Segment; place: string }[] = []
  for (const segment of segments) {
    const place = placeText(segment)
    const last = groups.at(-1)
    if (last?.place === place) last.to = segment
    else groups.push({ from: segment, to: segment, place })
  }
  return groups
    .map(({ from, to, place }) => {
      const numbers = from === to ? `${from.number}` : `${from.number} to ${to.number}`
      return `${numbers} ${place}, records ${from.first} to ${to.last}`
    })
    .join(' · ')
}

function placeText({ sealed, place, archive = '' }: Segment): string {
  if (!sealed) return 'open'
  if (place === 'gone') return `in the archive ${archive.slice(0, 8)}`
  return place === 'packed' ? 'packed' : 'sealed'
}
