import { faults } from '../../runs/faults.ts'
import { quote, suggest } from '../../text/index.ts'
import type { ContinueFlags } from '../options.ts'
import type { Session } from '../session.ts'

export interface LearnFlags extends ContinueFlags {
  readonly window?: string
  readonly support?: string
  readonly success?: string
  readonly cost?: string
  readonly env?: string
  readonly out?: string
  readonly dry?: boolean
  readonly format?: string
  readonly tools?: readonly string[]
}

const ACTIONS = ['snapshot', 'import'] as const

/** `reflex learn`: finds skills in ended runs, and imports transcripts of other agents for that. Throws `R2031` for other words. */
export async function learnVerb(session: Session, words: readonly string[], flags: LearnFlags): Promise<number> {
  const [action = 'snapshot', ...rest] = words
  if (action === 'import') {
    if (rest.length === 0) throw faults.make('R2031', 'learn import takes FILE…', { fix: 'reflex learn import FILE' })
    return (await import('./learn-import.ts')).learnImport(session, rest, flags)
  }
  if (action === 'snapshot') {
    if (rest.length > 0) throw faults.make('R2031', 'learn snapshot takes no file', { fix: 'reflex learn snapshot' })
    if (flags.format !== undefined) throw faults.make('R2031', '--format is for learn import', { fix: 'leave --format out' })
    return (await import('./learn-snapshot.ts')).learnSnapshot(session, flags)
  }
  const guess = suggest(action, ACTIONS) ?? 'snapshot'
  throw faults.make('R2031', `learn ${quote(action)} is not known; it is ${ACTIONS.join(' or ')}`, { fix: `reflex learn ${guess}` })
}
