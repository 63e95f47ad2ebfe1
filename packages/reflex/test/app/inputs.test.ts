import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { readInputs } from '../../src/cli/grammar.ts'
import { Reflex } from '../../src/app/reflex.ts'
import type { Workflow } from '../../src/kinds/workflow/types/index.ts'

const PROGRAM = {
  id: 'refund',
  entry: 'read',
  board: {
    total: { type: 'number' },
    urgent: { type: 'boolean' },
    order: { type: 'object', required: ['id'] },
    code: { type: 'string' },
  },
  nodes: { read: { id: 'read', spec: {} } },
  edges: [],
}

function reflexIn(): { reflex: Reflex; file: string } {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-inputs-')))
  const file = join(folder, 'refund.workflow.json')
  writeFileSync(file, JSON.stringify(PROGRAM))
  const reflex = new Reflex({ store: 'memory:', workdir: folder, programs: [folder] })
  onTestFinished(async () => {
    await reflex.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { reflex, file }
}

describe('inputs of a program that declares what its board holds', () => {
  test('written as text become what is declared, and JSON stays as it is', async () => {
    const { reflex, file } = reflexIn()
    const given = ['total=84', 'urgent=yes', 'order={"id":"A"}', 'code=007', 'free=1', 'other:="2"']
    const run = await reflex.run(file, await readInputs(given, async () => ''))
    expect(['total', 'urgent', 'order', 'code', 'free', 'other'].map((key) => run.get(key))).toEqual([
      84,
      true,
      { id: 'A' },
      '007',
      '1',
      '2',
    ])
  })

  test.each([
    [['total=much'], 'refund cannot take total as "much": must be a number'],
    [['total:="84"'], 'refund cannot take total as "84": must be a number'],
    [['order:={}'], 'refund cannot take order as {}: must have the key "id"'],
    [['total=84', 'total:=true'], 'refund cannot take total as true: must be a number'],
  ])('%j are refused before anything begins', async (given, message) => {
    const { reflex, file } = reflexIn()
    const { input, texts } = await readInputs(given, async () => '')
    await expect(reflex.run(file, { input, texts })).rejects.toMatchObject({ code: 'R2045', message })
    expect(await reflex.runs()).toEqual([])
  })

  test('in TypeScript are taken as they are, by validators too', async () => {
    const { reflex } = reflexIn()
    const workflow: Workflow = { ...PROGRAM, board: { total: z.number() } }
    await expect(reflex.run(workflow, { input: { total: '84' } })).rejects.toMatchObject({ code: 'R2045' })
    expect((await reflex.run(workflow, { input: { total: '84' }, texts: ['total'] })).get('total')).toBe(84)
  })
})
