import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countCells } from '../../src/text/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { reflex, workFolder, type WorldOptions } from './worlds.ts'

const REVIEW = `digraph review {
  graph [label="Code review", goal="Look at a change, and tell what no test would notice of it"]
  begin [shape=Mdiamond]
  security_of_the_change [prompt="Look for holes", output_key="review.findings"]
  merge [shape=hexagon, label="Merge the change into the branch that is released on Fridays?"]
  end [shape=Msquare]
  begin -> security_of_the_change -> merge
  merge -> end [label="[M] Merge"]
  merge -> security_of_the_change [label="[S] Send back"]
}
`

/** A reply as models give it: an object as text. */
const REPLY = {
  verdict: 'changes_requested',
  findings: ['src/auth/session.ts:41 the token is compared with ===', 'no test reads "expires"', 'see \\"docs\\"'],
}
const LINE = `${JSON.stringify({ label: 'review/security_of_the_change', reply: { text: JSON.stringify(REPLY) }, by: 'hand' })}\n`
const RECORDED = LINE.repeat(9)

const RUN = ['run', 'review.dot', '--id', 'otter-2m9q', '--recorded', 'replies.jsonl', '--answers', 'answers.json']

function folderOf(): string {
  const folder = workFolder()
  writeFileSync(join(folder, 'review.dot'), REVIEW)
  writeFileSync(join(folder, 'bad.dot'), REVIEW.replace('-> merge', '-> marge'))
  writeFileSync(join(folder, 'replies.jsonl'), RECORDED)
  writeFileSync(join(folder, 'answers.json'), '{"merge": "M"}')
  return folder
}

/** Commands, and the lines that a node, an id or a path makes as long as they are, are neither cut nor wrapped. */
function isWhole(line: string): boolean {
  return /^ *(reflex|export) /.test(line) || !line.trim().replace(/^\W+ /, '').includes(' ')
}

test('a reply that is JSON is printed as a value, never as escaped text', async () => {
  const folder = folderOf()
  const piped = await reflex(RUN, { folder })
  expect(piped.code).toBe(0)
  expect(JSON.parse(piped.out)).toMatchObject({ 'review.findings': REPLY })
  expect(piped.err).not.toContain('\\"verdic')
  for (const argv of [
    ['trace', 'otter'],
    ['show', 'otter'],
    ['why', 'otter', 'review.findings'],
    [...RUN.slice(0, 2), ...RUN.slice(4)],
  ]) {
    const { screen } = await reflex(argv, { folder, columns: 80 })
    expect(screen, argv.join(' ')).toContain('{"verdic')
    expect(screen, argv.join(' ')).not.toContain('\\"verdic')
  }
})

test.each([50, 40])('no line passes the margin at %i columns', async (columns) => {
  const folder = folderOf()
  const world: WorldOptions = { folder, columns, host: virtualHost() }
  const wide: string[] = []
  for (const argv of [
    RUN,
    [...RUN.slice(0, 3), 'lark-9q2m', ...RUN.slice(4, 6), '--answers', 'none', '--budget', 'usd=2'],
    ['run', 'refund.workflow.json', '--id', 'crane-6v4h', '--input', 'order_id=A-1042', '--answers', 'none'],
    ['runs'],
    ['runs', '--ids'],
    ['inbox', '--answers', 'none'],
    ['trace', 'otter', '-v'],
    ['trace', 'crane'],
    ['show', 'otter'],
    ['show', 'lark'],
    ['show', 'crane@9'],
    ['why', 'otter', 'review.findings'],
    ['why', 'crane', 'decide'],
    ['diff', 'otter', 'lark'],
    ['diff', 'otter', 'lark', '--text'],
    ['replay', 'otter'],
    ['check'],
    ['validate', 'review.dot', 'bad.dot', 'refund.workflow.json'],
    ['graph', 'otter'],
    ['explain', 'R1042'],
    ['schema'],
    ['fork', 'crane@9', '--decide', 'part', '--id', 'newt-1aaa'],
    ['gc', '--dry-run'],
    ['doctor'],
    ['export', 'otter', '-o', 'otter.run.jsonl'],
    ['import', 'otter.run.jsonl', '--id', 'swan-1aaa'],
    ['cancel', 'lark', '--reason', 'the change was withdrawn by the one who wrote it'],
    ['resume', 'spoon'],
    ['init', 'first'],
  ]) {
    const { screen } = await reflex(argv, { ...world, keyboard: argv[0] !== 'inbox' && !argv.includes('crane-6v4h') })
    wide.push(...screen.split('\n').flatMap((line) => (countCells(line) < columns || isWhole(line) ? [] : [`${argv.join(' ')}: ${line}`])))
  }
  expect(wide).toEqual([])
})
