import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { defineTool } from 'reflex-runtime/tools'
import { z } from 'zod'

const DOCUMENTS = join(import.meta.dirname, 'documents')
const OUT = join(import.meta.dirname, 'out')

const PASSAGE = z.object({ id: z.string(), title: z.string(), file: z.string(), line: z.number(), text: z.string() })
type Passage = z.infer<typeof PASSAGE>

/** Returns the paragraphs of a document, each with its first line and an id such as `network:3`. */
function* passagesOf(file: string): Generator<Passage> {
  const lines = readFileSync(join(DOCUMENTS, file), 'utf8').split('\n')
  const title = (lines[0] ?? file).replace(/^#+ */, '')
  for (let start = 1; start < lines.length; start++) {
    let end = start
    while ((lines[end] ?? '') !== '') end++
    if (end > start)
      yield { id: `${basename(file, '.md')}:${start + 1}`, title, file, line: start + 1, text: lines.slice(start, end).join(' ') }
    start = end
  }
}

/** Puts every passage into a full-text index in memory: words are stemmed, so that "costs" finds "cost". */
function indexOf(folder: string): DatabaseSync {
  const index = new DatabaseSync(':memory:')
  index.exec(
    "CREATE VIRTUAL TABLE passages USING fts5(id UNINDEXED, title, file UNINDEXED, line UNINDEXED, text, tokenize = 'porter unicode61')",
  )
  const insert = index.prepare('INSERT INTO passages VALUES (:id, :title, :file, :line, :text)')
  const files = readdirSync(folder).filter((name) => name.endsWith('.md'))
  for (const file of files.sort()) for (const passage of passagesOf(file)) insert.run({ ...passage })
  return index
}

let index: DatabaseSync | undefined

/** Finds the passages that have most of the words, the best first (bm25). Words of a question that say nothing are left out. */
function search(query: string, limit: number): Passage[] {
  const words = (query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !COMMON.has(word))
  if (words.length === 0) return []
  index ??= indexOf(DOCUMENTS)
  const found = index.prepare(
    'SELECT id, title, file, line, text FROM passages WHERE passages MATCH :words ORDER BY bm25(passages), id LIMIT :limit',
  )
  return found.all({ words: words.map((word) => `"${word}"`).join(' OR '), limit }).map((row) => PASSAGE.parse(row))
}

const COMMON = new Set(
  'a an and are as at be by can do does for from has have how if in is it its of on or our that the to we what which who why with'.split(
    ' ',
  ),
)

export const librarySearch = defineTool({
  name: 'library.search',
  description: 'Finds passages of the documents by their words.',
  leaves: false,
  repeat: 'free',
  input: z.object({ query: z.string(), limit: z.number().int().positive().max(20) }),
  run: ({ query, limit }) => search(query, limit),
  says: ({ query }, result) => `${Array.isArray(result) ? result.length : 0} passages for ${JSON.stringify(query)}`,
})

export const reportWrite = defineTool({
  name: 'report.write',
  description: 'Writes the report with a list of the passages that it cites.',
  leaves: true,
  // The same text in the same file: a second time changes nothing.
  repeat: 'free',
  input: z.object({ question: z.string(), text: z.string(), sources: z.array(PASSAGE) }),
  run({ question, text, sources }) {
    const list = sources.map(({ id, title, file, line }) => `- [${id}] ${title}, documents/${file}, line ${line}`)
    mkdirSync(OUT, { recursive: true })
    writeFileSync(join(OUT, 'REPORT.md'), [`# ${question}`, '', text.trim(), '', '## Sources', '', ...list, ''].join('\n'))
    return { file: 'out/REPORT.md', sources: sources.length }
  },
  simulates: () => ({ file: 'out/REPORT.md', sources: 0 }),
})
