// proves: skill 159
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { virtualHost } from '../../src/testing/index.ts'
import { reflex, workFolder, type WorldOptions } from './worlds.ts'

const NEIGHBOURS = ['ping', 'status', 'whoami', 'help', 'clock']

/** A conversation in which the agent looks up a parcel and then asks its carrier, between calls of other tools. */
function conversation(i: number): object {
  const messages: object[] = [{ role: 'user', content: `Where is parcel P-${1000 + i}?` }]
  const call = (tool: string, args: object, result: object): void => {
    const id = `call-${messages.length}`
    messages.push(
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: tool, arguments: JSON.stringify(args) } }],
      },
      { role: 'tool', tool_call_id: id, content: JSON.stringify(result) },
    )
  }
  call(NEIGHBOURS[i % 5] ?? '', {}, {})
  call('parcels.get', { parcel: `P-${1000 + i}` }, { carrier: `carrier-${i % 7}`, state: 'lost' })
  call('carriers.ask', { carrier: `carrier-${i % 7}`, parcel: `P-${1000 + i}` }, { answer: 'soon' })
  call(NEIGHBOURS[(i + 2) % 5] ?? '', {}, {})
  messages.push({ role: 'assistant', content: 'It is on its way.' })
  return { messages }
}

async function scene(): Promise<WorldOptions> {
  const options = { folder: workFolder(), host: virtualHost({ at: Date.UTC(2026, 0, 5, 9) }) }
  const lines = Array.from({ length: 24 }, (_, i) => JSON.stringify(conversation(i)))
  writeFileSync(join(options.folder, 'talks.jsonl'), `${lines.join('\n')}\n`)
  await reflex(['learn', 'import', 'talks.jsonl'], options)
  return options
}

const document = (out: string): Record<string, never> => JSON.parse(out) as Record<string, never>

test('a snapshot shows what was kept and what was dropped and why, and writes the drafts', async () => {
  const options = await scene()
  const { code, out, err } = await reflex(['learn', 'snapshot'], { ...options, columns: 100 })
  expect({ code, err }).toMatchObject({ code: 0 })
  expect(stripVTControlCharacters(out)).toMatchInlineSnapshot(`
    "24 runs, 96 tool calls in 0 ms · 23 patterns: 1 kept, 22 dropped
      dropped  16 part of a longer one · 4 in one place only · 2 rare
    draft  mined.parcels.get@1.0.0  parcels.get → carriers.ask
           100.0 % of runs · 100.0 % succeeded · cost −50 % · p95 +0 %
           slots parcel (from the user's text)
           needs an undo for parcels.get, carriers.ask before it can be tested
           written skills/mined.parcels.get.skill.json with 5 cases
    "
  `)
  const manifest = JSON.parse(readFileSync(join(options.folder, 'skills/mined.parcels.get.skill.json'), 'utf8')) as {
    tests: { unit_cases: string[] }
  }
  for (const path of manifest.tests.unit_cases) expect(existsSync(join(options.folder, 'skills', path))).toBe(true)
})

test('a snapshot as a document: the counts add up, a second one finds the same', async () => {
  const options = await scene()
  const first = document((await reflex(['learn', 'snapshot', '--json'], options)).out)
  const dropped = Object.values<number>(first['dropped'] ?? {}).reduce((sum, number) => sum + number, 0)
  expect(dropped + Number(first['kept'])).toBe(first['considered'])
  const second = document((await reflex(['learn', 'snapshot', '--json'], options)).out)
  expect(second['drafts']).toMatchObject([{ novelty: 'known', registry: 'known', files: [{ result: 'unchanged' }, {}, {}, {}, {}, {}] }])
  expect({ ...second, drafts: 0, shapes: 0 }).toEqual({ ...first, drafts: 0, shapes: 0 })
})

test('a draft that a person has changed is left as it is', async () => {
  const options = await scene()
  await reflex(['learn', 'snapshot'], options)
  const file = join(options.folder, 'skills/mined.parcels.get.skill.json')
  const changed = readFileSync(file, 'utf8').replace('"title":', '"x_note": "mine", "title":')
  writeFileSync(file, changed)
  const { out } = await reflex(['learn', 'snapshot'], options)
  expect(out).toContain('left as it is')
  expect(readFileSync(file, 'utf8')).toBe(changed)
  writeFileSync(join(options.folder, 'other.skill.json'), 'mine')
})

test('a dry snapshot writes nothing, and --out names the folder', async () => {
  const options = await scene()
  const dry = await reflex(['learn', 'snapshot', '--dry'], options)
  expect(dry.out).toContain('nothing was written')
  expect(existsSync(join(options.folder, 'skills'))).toBe(false)
  expect(document((await reflex(['learn', '--dry', '--json'], options)).out)['drafts']).toMatchObject([
    { novelty: 'new', registry: 'not_kept', files: [] },
  ])
  await reflex(['learn', 'snapshot', '--out', 'drafts'], options)
  expect(readdirSync(join(options.folder, 'drafts')).sort()).toEqual(['mined.parcels.get.skill.json', 'tests'])
})

test('ended runs of the store are read once', async () => {
  const options = { folder: workFolder() }
  await reflex(['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'auto'], options)
  const first = document((await reflex(['learn', 'snapshot', '--json'], options)).out)
  expect(first).toMatchObject({ runs: 1, shapes: { read: 1, known: 0 } })
  const second = document((await reflex(['learn', 'snapshot', '--json'], options)).out)
  expect(second).toMatchObject({ runs: 1, shapes: { read: 0, known: 1 } })
  expect({ ...second, shapes: 0 }).toEqual({ ...first, shapes: 0 })
})

test('without a store there is nothing to learn, and nothing is written', async () => {
  const folder = workFolder()
  const { code, out } = await reflex(['learn'], { folder })
  expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('0 runs, 0 tool calls') as string })
  expect(existsSync(join(folder, '.reflex'))).toBe(false)
})

test('a stricter parameter drops the draft, with the number that would have passed', async () => {
  const options = await scene()
  const { out } = await reflex(['learn', 'snapshot', '--cost', '0.4'], options)
  expect(out).toContain('0 kept')
  expect(out).toContain('parcels.get → carriers.ask  save nothing, 0.500, needs at most 0.4')
})

test('a skill of the registry is exported as an Agent Skill, which a changed file of the same name stops', async () => {
  const options = await scene()
  await reflex(['learn', 'snapshot'], options)
  const argv = ['export', 'skill:mined.parcels.get', '--format', 'skill-md', '-o', 'agent-skills']
  const { code, err } = await reflex(argv, options)
  expect({ code, err }).toMatchObject({
    code: 0,
    err: expect.stringContaining('agent-skills/mined-parcels-get  written · 2 files') as string,
  })
  const file = join(options.folder, 'agent-skills/mined-parcels-get/SKILL.md')
  expect(readFileSync(file, 'utf8')).toContain('name: mined-parcels-get')
  expect(document((await reflex([...argv, '--json'], options)).out)).toMatchObject({ skill: 'mined.parcels.get@1.0.0' })
  writeFileSync(file, 'mine')
  expect((await reflex(argv, options)).err).toContain('error R5040')
  expect((await reflex(['export', 'skill:mined.parcel', '--format', 'skill-md'], options)).err).toContain('error R1493')
  expect((await reflex(['export', 'otter', '--format', 'skill-md'], options)).err).toContain('error R2031')
})

test.each<[readonly string[], string, string]>([
  [['learn', 'snapshto'], 'R2031', 'reflex learn snapshot'],
  [['learn', 'snapshot', 'x'], 'R2031', 'takes no file'],
  [['learn', 'import'], 'R2031', 'FILE'],
  [['learn', 'snapshot', '--window', 'x'], 'R1485', 'window'],
  [['learn', 'snapshot', '--support', ''], 'R1485', 'support'],
  [['learn', 'snapshot', '--format', 'mcp'], 'R2031', 'learn import'],
  [['learn', 'import', 'order.json', '--format', 'opnai'], 'R2031', '--format openai'],
])('%j is refused', async (argv, code, text) => {
  const { code: exit, err } = await reflex(argv, { folder: workFolder() })
  expect(exit).not.toBe(0)
  expect(err).toContain(`error ${code}`)
  expect(err).toContain(text)
})
