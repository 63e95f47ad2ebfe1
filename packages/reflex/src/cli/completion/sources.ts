import { programName } from '../../protocol/plain.ts'
import { nearestStore } from '../../app/home.ts'
import type { RunRow } from '../../kernel/index.ts'
import type { Console } from '../console.ts'
import type { Session } from '../session.ts'
import type { Candidate, Sources } from './candidates.ts'
import { SHELLS } from './scripts.ts'

/** The number of newest runs among which a name is completed. */
const MOST = 200

/** Returns the candidates from this folder's store and from the lists of the command. */
export function sourcesOf(console: Console): Sources {
  return {
    runs: ({ open, questions }) =>
      inStore(console, async ({ reflex }) => {
        const rows = await reflex.runs({ limit: MOST, ...(open ? { status: ['running', 'suspended'] } : {}) })
        return rows.filter((row) => !questions || questionsOf(row).length > 0).flatMap((row) => candidatesOf(row, questions))
      }),
    skills: () =>
      inStore(console, async ({ reflex }) => {
        const { projectRegistry } = await import('../../learn/snapshot/project-registry.ts')
        const skills = await projectRegistry(reflex, { version: console.world.version }).registry.list()
        return skills.map(({ id, version, state }) => [`${id}@${version}`, state.state])
      }),
    answers: (address) =>
      inStore(console, async ({ reflex }) => {
        const [run = '', only] = address.split('/')
        const { questions } = await reflex.show(run)
        const asked = questions.filter(({ id }) => only === undefined || id.endsWith(`/${only}`))
        return asked.flatMap(({ question }) => (question.options ?? []).map(({ value, label }) => [value, label ?? question.text] as const))
      }),
    values,
  }
}

/** Reads from the store if it is a file. A server may be slow, and a person waits for the completion. */
async function inStore(console: Console, read: (session: Session) => Promise<readonly Candidate[]>): Promise<readonly Candidate[]> {
  const { cwd, environment } = console.world.surroundings
  const store = console.flags.store ?? environment['REFLEX_STORE'] ?? nearestStore(cwd)
  if (store === undefined || /^(?!sqlite:)[a-z][a-z0-9+.-]+:/i.test(store)) return []
  const { withStoredRuns } = await import('../session.ts')
  let found: readonly Candidate[] = []
  await withStoredRuns(console, console.flags, async (session) => {
    found = await read(session)
    return 0
  })
  return found
}

function questionsOf({ waits }: RunRow): readonly number[] {
  return waits.flatMap(({ type, number }) => (type === 'answer' && number > 0 ? [number] : []))
}

function candidatesOf(row: RunRow, withQuestions: boolean): readonly Candidate[] {
  const about = `${programName(row.program[0])}, ${row.status}`
  const questions = withQuestions ? questionsOf(row) : []
  return [[row.id, about], ...(questions.length > 1 ? questions.map((n) => [`${row.id}/q${n}`, about] as const) : [])]
}

/** Returns the kinds whose programs people write: those that a host drives have no files. */
async function writtenKinds(): Promise<readonly string[]> {
  const { BUILT_IN } = await import('../../app/kinds.ts')
  return BUILT_IN.names.filter((name) => !BUILT_IN.isHosted(name))
}

/** Returns the values of options and words that come from a fixed list. */
async function values(name: string): Promise<readonly Candidate[]> {
  switch (name) {
    case '--trust':
      return plainCandidates((await import('../../policy/index.ts')).TRUST_LEVELS)
    case '--status':
      return plainCandidates((await import('../verbs/runs.ts')).STATUSES)
    case '--answers':
      return plainCandidates((await import('../answer-source.ts')).ANSWER_MODES)
    case '--kind':
      return plainCandidates(await writtenKinds())
    case '--format':
      return plainCandidates(['jsonl', 'parquet'])
    case 'shell':
      return plainCandidates(SHELLS)
    case 'name':
      return (await import('../verbs/schema.ts')).PUBLISHED.map(({ name: schema, about }) => [schema, about])
    case 'code':
      return [...(await import('../../protocol/catalogue.ts')).CATALOGUE].map(([code, { title }]) => [code, title])
    default:
      return []
  }
}

function plainCandidates(words: readonly string[]): readonly Candidate[] {
  return words.map((word) => [word, ''])
}
