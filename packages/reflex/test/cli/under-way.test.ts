import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { virtualHost } from '../../src/testing/index.ts'
import { normal, reflex, start, workFolder, type WorldOptions } from './worlds.ts'

/** A folder with a program whose transfer gets no answer the first time; `repeat`: what is done after a crash. */
function bank(repeat: 'keyed' | 'ask'): WorldOptions & { readonly host: ReturnType<typeof virtualHost>; readonly begun: string } {
  const folder = workFolder()
  const begun = join(folder, 'begun')
  writeFileSync(
    join(folder, 'bank.mjs'),
    `import { existsSync, writeFileSync } from 'node:fs'
import { defineTool } from '${join(import.meta.dirname, '../../src/tools/index.ts')}'
const input = { '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value }) } }
const run = (_, { key }) => {
  if (existsSync('${begun}')) return { key }
  writeFileSync('${begun}', '')
  return new Promise(() => undefined)
}
export const transfer = defineTool({ name: 'bank.transfer', description: '', input, repeat: '${repeat}', leaves: true, run })
`,
  )
  const nodes = { pay: { id: 'pay', spec: { tool: 'bank.transfer', writes: 'paid' } } }
  writeFileSync(join(folder, 'pays.workflow.json'), JSON.stringify({ id: 'pays', entry: 'pay', nodes, edges: [] }))
  return { folder, begun, host: virtualHost() }
}

/** Runs the program until its transfer is under way, and interrupts it. */
async function interrupted(options: ReturnType<typeof bank>, more: Partial<WorldOptions> = {}): ReturnType<typeof reflex> {
  const paying = start(['run', 'pays.workflow.json', '--id', 'otter-2m9q', '--tools', 'bank.mjs'], { ...options, ...more })
  while (!existsSync(options.begun)) await options.host.drain()
  paying.interrupt('SIGINT')
  return paying.ended
}

test('prints in a pipe the effects that begin, that were pending at an interruption, and that are performed again', async () => {
  const options = bank('keyed')
  const first = await interrupted(options)
  expect(first.code).toBe(130)
  expect(normal(first.err).split('\n').slice(2)).toEqual([
    '2026-11-20T14:02:07Z  begins    pay: bank.transfer under key otter-2m9q:2',
    'interrupted  otter-2m9q  what was recorded is kept',
    '  bank.transfer was under way under key otter-2m9q:2 at pay',
    '  continue   reflex resume otter-2m9q',
    '',
  ])
  const again = await reflex(['resume', 'otter'], options)
  expect(again.code).toBe(0)
  expect(normal(again.err).split('\n').slice(1, 3)).toEqual([
    '2026-11-20T14:02:07Z  repeats   pay: bank.transfer under key otter-2m9q:2',
    '2026-11-20T14:02:07Z  done      pay: bank.transfer → {"key":"otter-2m9q:2"}',
  ])
  expect(JSON.parse(again.out)).toMatchObject({ paid: { key: 'otter-2m9q:2' } })
})

test('prints them on a terminal at the interruption and at the repetition, within its width', async () => {
  const options = { ...bank('keyed'), columns: 50 }
  const first = await interrupted(options, { columns: 50 })
  expect(first.screen).toMatch(/bank\.transfer was under way under key\s+otter-2m9q:2 at pay/)
  const again = await reflex(['resume', 'otter'], options)
  expect(again.screen).toMatch(/repeats\s+pay: bank\.transfer under key\s+otter-2m9q:2/)
  expect(Math.max(...again.screen.split('\n').map((line) => line.length))).toBeLessThanOrEqual(50)
})

test('asks about an effect that must not be repeated without a question', async () => {
  const options = bank('ask')
  const first = await interrupted(options)
  expect(first.err).toContain('  bank.transfer was under way under key otter-2m9q:2 at pay\n')
  const again = await reflex(['resume', 'otter'], options)
  expect(again.code).toBe(75)
  expect(again.err).not.toContain('repeats')
  expect(again.err).toMatch(/Did bank\.transfer at pay happen\?|Did pay happen\?/)
})
