import type { MiningReport } from '../mine/mine.ts'
import type { Reason } from '../mine/rejected.ts'
import type { KeptDraft } from './snapshot.ts'

export { shortSymbol } from '../shapes/operation-shape.ts'

/** What each reason says of a pattern, in the words of a report. */
export const REASON_TEXTS: Readonly<Record<Reason, string>> = {
  support: 'rare',
  closed: 'part of a longer one',
  length: 'too short',
  primitive: 'repetitions',
  success: 'unreliable',
  cost: 'save nothing',
  cohesion: 'loose',
  variety: 'in one place only',
  needs_loop: 'need a loop',
  secret_slot: 'secret',
  generative_slot: 'generated',
  exceptions: 'irregular',
  redundancy: 'overlapping',
}

/** Returns the value that a pattern needs to pass the filter of a reason; undefined if no number decides. */
export function thresholdOf(reason: Reason, { least, params }: Pick<MiningReport, 'least' | 'params'>): string | undefined {
  switch (reason) {
    case 'support':
      return `${least} runs`
    case 'length':
      return `${params.minLength} calls`
    case 'success':
    case 'exceptions':
      return `at least ${params.success}`
    case 'cost':
      return `at most ${params.cost}`
    case 'cohesion':
      return `at least ${params.cohesion}`
    case 'variety':
      return `${params.variety} before and after`
    default:
      return undefined
  }
}

/** Returns the command that tests a draft. */
export function testCommand({ draft }: KeptDraft): readonly string[] {
  return ['skill', 'test', draft.manifest.id]
}
