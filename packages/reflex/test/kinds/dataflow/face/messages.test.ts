import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../../../app/folders.ts'
import { reflex as command } from '../../../cli/worlds.ts'
import { COUNTER, COUNTER_ADAPTER, presses } from '../run/graphs.ts'

function folder(): string {
  const made = newFolder()
  writeFileSync(join(made, 'counter.dataflow.json'), JSON.stringify(COUNTER))
  writeFileSync(join(made, 'counter.adapter.json'), JSON.stringify(COUNTER_ADAPTER))
  writeFileSync(join(made, 'counter.host.json'), JSON.stringify({ kind: 'host' }))
  writeFileSync(join(made, 'presses.jsonl'), JSON.stringify(presses(1)[0]))
  return made
}

test.each<[argv: string[], message: string, fix: string]>([
  [
    ['run', 'counter.dataflow.json', '--input', 'by=many'],
    'error R2045  the input "by" of counter is a number, and "many" is none',
    'write by=1.5',
  ],
  [['run', 'counter.dataflow.json', '--input', 'bye=1'], 'error R2045  counter has no input "bye"; did you mean "by"?', 'write by'],
  [['run', 'counter.dataflow.json', '--events', 'press.jsonl'], 'there is no such file; did you mean "presses.jsonl"?', 'write --events'],
  [
    ['run', 'counter.dataflow.json', '--stay'],
    'error R2031  --stay has no effect on dataflow:counter; did you mean --stays?',
    'write --stays',
  ],
  [['run', 'counter.dataflow.json'], 'error R1337 (RUN-CANON-1)  counter takes events, and nothing brings one', 'add --events FILE'],
  [
    ['run', 'counter.dataflow.json', '--stays', '--host', 'none.json'],
    'none.json cannot be read',
    'name a file that exists and that you may read',
  ],
  [
    ['validate', 'counter.adapter.json'],
    'counter.adapter.json is no program: it belongs to programs of the kind dataflow, and is checked with them',
    'name the program, *.dataflow.json',
  ],
])('a mistake in the command is said with what to type: %j', async (argv, message, fix) => {
  const { out, err, code } = await command(argv, { folder: folder() })
  expect(code).not.toBe(0)
  const text = `${out}${err}`.replace(/\s*\n\s+/g, ' ')
  expect(text.replace(/  +/g, '  ')).toContain(message.replace(/  +/g, '  '))
  expect(text).toContain(fix)
})

test('a graph whose actions have no function is valid without a remark on their outcomes', async () => {
  const { out, err } = await command(['validate', join(import.meta.dirname, '../../../../../../examples/10-alerts')], { folder: folder() })
  expect(`${out}${err}`).not.toContain('R1366')
})
