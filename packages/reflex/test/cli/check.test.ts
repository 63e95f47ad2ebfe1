import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { virtualHost } from '../../src/testing/index.ts'
import { countCells } from '../../src/text/index.ts'
import { normal, reflex, workFolder, type WorldOptions } from './worlds.ts'

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`)

/** A work folder with three open runs, one of another program, and one that has ended. */
async function ranIn(): Promise<{ folder: string; world: WorldOptions; edit: (text: string, other: string, file?: string) => void }> {
  const folder = workFolder()
  const world = { folder, host: virtualHost() }
  for (const id of ['otter-1aaa', 'otter-2bbb', 'otter-3ccc'])
    await reflex(['run', 'refund.workflow.json', '--id', id, '--answers', 'none'], world)
  await reflex(['run', 'refund.workflow.json', '--id', 'done-1ddd', '--answers', 'auto'], world)
  writeFileSync(
    join(folder, 'ask.workflow.json'),
    JSON.stringify({ id: 'ask', entry: 'a', nodes: { a: { id: 'a', spec: { ask: 'Well?' } } }, edges: [] }),
  )
  await reflex(['run', 'ask.workflow.json', '--id', 'lark-4eee', '--answers', 'none'], world)
  const edit = (text: string, other: string, file = 'refund.workflow.json'): void => {
    const source = readFileSync(join(folder, file), 'utf8')
    if (!source.includes(text)) throw new Error(`no ${text}`)
    writeFileSync(join(folder, file), source.replace(text, other))
  }
  return { folder, world, edit }
}

const GUARD = '"guard": { "type": "exists", "key": "identity" }'
const SHUT = GUARD.replace('identity', 'idenity')

interface Document {
  readonly runs: readonly {
    readonly run: string
    readonly outcome: string
    readonly replay?: { readonly difference?: { readonly record: number } }
  }[]
  readonly refused: readonly object[]
  readonly unused: readonly string[]
  readonly open: number
  readonly breaks: number
}

async function checked(
  world: WorldOptions,
  ...argv: string[]
): Promise<{ code: number; outcomes: Record<string, string>; document: Document }> {
  const { code, out } = await reflex(['check', ...argv, '--json'], world)
  const document = JSON.parse(out) as Document
  return { code, document, outcomes: Object.fromEntries(document.runs.map(({ run, outcome }) => [run, outcome])) }
}

describe('reflex check', () => {
  test('finds nothing if the files are unchanged', async () => {
    const { world } = await ranIn()
    const { code, outcomes, document } = await checked(world)
    expect({ code, open: document.open, breaks: document.breaks }).toEqual({ code: 0, open: 4, breaks: 0 })
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['unchanged']))
  })

  test('finds the open runs that would break on their changed files, and ignores ended runs', async () => {
    const { world, edit } = await ranIn()
    edit(GUARD, SHUT)
    const { code, outcomes, document } = await checked(world)
    expect({ code, outcomes, breaks: document.breaks }).toEqual({
      code: 1,
      outcomes: { 'otter-1aaa': 'breaks', 'otter-2bbb': 'breaks', 'otter-3ccc': 'breaks', 'lark-4eee': 'unchanged' },
      breaks: 3,
    })
    expect(document.runs.find(({ run }) => run === 'otter-1aaa')?.replay?.difference?.record).toBe(10)
  })

  test('accepts a change that only affects later steps', async () => {
    const { world, edit } = await ranIn()
    edit('"rf_20931"', '"rf_1"')
    expect(await checked(world)).toMatchObject({ code: 0, outcomes: { 'otter-1aaa': 'equal', 'lark-4eee': 'unchanged' } })
    edit('"id": "part", "from": "decide", "to": "approve"', '"id": "part", "from": "decide", "to": "decline"')
    expect(await checked(world)).toMatchObject({ code: 0, outcomes: { 'otter-1aaa': 'equal' } })
    edit('"id": "part"', '"id": "half"')
    expect(await checked(world)).toMatchObject({ code: 0, outcomes: { 'otter-1aaa': 'noted' } })
  })

  test('checks against the named files and the programs that they call', async () => {
    const { folder, world } = await ranIn()
    mkdirSync(join(folder, 'next'))
    copyFileSync(join(folder, 'refund.workflow.json'), join(folder, 'next', 'refund.workflow.json'))
    const callee = readFileSync(join(folder, 'identity.workflow.json'), 'utf8')
    writeFileSync(join(folder, 'next', 'identity.workflow.json'), callee.replace('"entry": "match"', '"entry": "score"'))
    const { code, outcomes, document } = await checked(world, 'next/refund.workflow.json')
    expect({ code, outcomes }).toMatchObject({ code: 1, outcomes: { 'otter-1aaa': 'breaks', 'lark-4eee': 'apart' } })
    expect(document.unused).toEqual([])
    expect((await checked(world, 'payouts.workflow.json')).document.unused).toEqual([join(folder, 'payouts.workflow.json')])
  })

  test('names missing and unreadable files, and checks the rest', async () => {
    const { folder, world } = await ranIn()
    writeFileSync(join(folder, 'broken.workflow.json'), '{')
    const { code, outcomes, document } = await checked(world, 'nothing.workflow.json', 'broken.workflow.json', 'refund.workflow.json')
    expect({ code, outcomes }).toMatchObject({ code: 1, outcomes: { 'otter-1aaa': 'unchanged' } })
    expect(document.refused).toMatchObject([{ error: { code: 'R1021' } }, { error: { code: 'R1001' } }])
    rmSync(join(folder, 'refund.workflow.json'))
    const own = await checked(world)
    expect(own).toMatchObject({ code: 1, outcomes: { 'otter-1aaa': 'unknown', 'lark-4eee': 'unchanged' } })
  })

  test('refuses two files with the same program', async () => {
    const { folder, world } = await ranIn()
    copyFileSync(join(folder, 'refund.workflow.json'), join(folder, 'copy.workflow.json'))
    const { code, document } = await checked(world, 'refund.workflow.json', 'copy.workflow.json')
    expect({ code, refused: document.refused }).toMatchObject({ code: 1, refused: [{ error: { code: 'R5044' } }] })
  })

  test('changes nothing', async () => {
    const { folder, world, edit } = await ranIn()
    edit(GUARD, SHUT)
    const list = async (): Promise<string> => (await reflex(['runs', '--json'], world)).out
    const before = await list()
    await checked(world, 'refund.workflow.json')
    expect(await list()).toBe(before)
    const { code } = await reflex(['answer', 'otter-1', 'YES'], world)
    expect(code).toBe(0)
    expect(folder).not.toBe('')
  })

  test('succeeds in a store without open runs', async () => {
    const { code, screen } = await reflex(['check'], { folder: workFolder(), columns: 80 })
    expect({ code, screen }).toEqual({ code: 0, screen: 'no open runs' })
  })

  test.each([80, 40])('prints at %i columns', async (columns) => {
    const { folder, world, edit } = await ranIn()
    edit(GUARD, SHUT)
    writeFileSync(join(folder, 'broken.workflow.json'), '{')
    const looks: string[] = []
    for (const argv of [['check'], ['check', 'refund.workflow.json', 'broken.workflow.json', 'payouts.workflow.json'], ['check', '-v']]) {
      const { screen, code } = await reflex(argv, { ...world, columns })
      looks.push(`$ reflex ${argv.join(' ')}\n${screen}\nexit ${code}`)
    }
    const seen = looks.join('\n\n')
    await expect(`${normal(seen)}\n`).toMatchFileSnapshot(golden(`check-${columns}`))
    expect(seen.split('\n').filter((line) => !/^\$| {2,}.*reflex /.test(line) && countCells(line) >= columns)).toEqual([])
  })

  test('prints a line with full values for each run in a pipe', async () => {
    const { folder, world, edit } = await ranIn()
    edit(GUARD, SHUT)
    const { out } = await reflex(['check'], world)
    expect(out.trim().split('\n').sort()).toEqual([
      'lark-4eee\task\tunchanged\t\t\talready has these programs',
      ...['otter-1aaa', 'otter-2bbb', 'otter-3ccc'].map(
        (id) => `${id}\trefund\tbreaks\t10\t${join(folder, 'refund.workflow.json')}:43:109\t9 records equal, record 10 differs`,
      ),
    ])
    const lines = (await reflex(['check', '--jsonl'], world)).out.trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { outcome: string }).outcome).sort()).toEqual([
      'breaks',
      'breaks',
      'breaks',
      'unchanged',
    ])
  })

  test('names the tool modules of a run, and imports only modules that the user named', async () => {
    const folder = workFolder()
    const world = { folder, host: virtualHost(), columns: 80 }
    writeFileSync(
      join(folder, 'tools.mjs'),
      `import { defineTool } from '${join(import.meta.dirname, '../../src/tools/index.ts')}'
export const pay = defineTool({ name: 'bank.pay', description: '', input: {}, repeat: 'free', leaves: false, run: () => 1 })
`,
    )
    const program = (text: string): void =>
      writeFileSync(
        join(folder, 'tip.workflow.json'),
        JSON.stringify({
          id: 'tip',
          entry: 'a',
          nodes: { a: { id: 'a', spec: { ask: text } }, b: { id: 'b', spec: { tool: 'bank.pay' } } },
          edges: [{ id: 'e', from: 'a', to: 'b', event: 'YES' }],
        }),
      )
    program('Tip?')
    await reflex(['run', 'tip.workflow.json', '--id', 'otter', '--tools', 'tools.mjs', '--answers', 'none'], world)
    program('Really?')
    const { code, screen } = await reflex(['check'], world)
    expect({ code, screen }).toMatchObject({ code: 1, screen: expect.stringContaining('reflex check --tools tools.mjs') as string })
    expect(screen).toContain('R4100')
    expect((await reflex(['check', '--tools', 'tools.mjs'], world)).code).toBe(0)
  })
})
