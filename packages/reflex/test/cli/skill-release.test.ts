// proves: skill 184, skill 185, skill 186
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Ended, reflex, type WorldOptions, workFolder } from './worlds.ts'

const SOURCE = 'look-up.skill.json'

interface Shop extends WorldOptions {
  readonly run: (...argv: readonly string[]) => Promise<Ended>
  readonly json: (...argv: readonly string[]) => Promise<Record<string, unknown>>
  /** Writes another version of the skill, and returns the name of its file. */
  version(version: string, change?: (manifest: Record<string, unknown>) => void): string
}

function shop(columns?: number): Shop {
  const options: WorldOptions = { folder: workFolder(), ...(columns === undefined ? {} : { columns }) }
  const run = (...argv: readonly string[]) => reflex(argv, options)
  return {
    ...options,
    run,
    json: async (...argv) => JSON.parse((await reflex([...argv, '--json'], options)).out) as Record<string, unknown>,
    version(version, change = () => undefined) {
      const text = readFileSync(join(options.folder, SOURCE), 'utf8').replace(/^\s*\/\/.*$/m, '')
      const manifest = { ...(JSON.parse(text) as Record<string, unknown>), version }
      change(manifest)
      const file = `look-up-${version}.skill.json`
      writeFileSync(join(options.folder, file), JSON.stringify(manifest))
      return file
    },
  }
}

async function approved({ run }: Shop, file: string, version: string, ...more: readonly string[]): Promise<void> {
  const { code, screen } = await run('skill', 'test', file)
  expect(code, screen).toBe(0)
  expect(await run('skill', 'approve', `orders.look_up@${version}`, '--by', 'ana', ...more)).toMatchObject({ code: 0 })
}

test('diff names the step of the version and what has changed (skill 185)', async () => {
  const one = shop(100)
  await one.run('skill', 'add', SOURCE)
  const next = one.version('2.0.0', (manifest) => {
    manifest['signature'] = { inputs: [{ name: 'file', type: 'path' }], outputs: [{ name: 'content', type: 'json' }] }
    manifest['plan'] = {
      steps: [{ id: 'read', tool: 'file.read', args: { path: '{{file}}' } }],
      result_map: { content: '{{steps.read.result}}' },
    }
  })
  expect((await one.run('skill', 'add', next)).err).toContain('kept as a draft')
  expect((await one.run('skill', 'add', next)).err).toContain('kept before')
  const { code, screen } = await one.run('skill', 'diff', 'orders.look_up', '1.0.0', '2.0.0')
  expect(code).toBe(1)
  expect(screen.replaceAll(/\s+/g, ' ')).toContain(
    'a major step, 2.0.0 from 1.0.0, because of activation.required_slots, signature.inputs.file',
  )
  expect(screen).toContain('plan.steps.0.args.path: "{{path}}" → "{{file}}"')
  expect(await one.json('skill', 'diff', 'orders.look_up', '1.0.0', '1.0.0')).toMatchObject({ equal: true, step: 'none', changes: [] })
})

test('promote says which rule decides and by which numbers (skill 185)', async () => {
  const one = shop(100)
  await approved(one, SOURCE, '1.0.0')
  const rollout = { experiment: 'faster', shares: [{ version: '1.0.0', share: 0.001 }], promote: { runs: 2, success: 1 } }
  await approved(
    one,
    one.version('1.1.0', (manifest) => void (manifest['rollout'] = rollout)),
    '1.1.0',
  )
  const waiting = await one.run('skill', 'promote', 'orders.look_up@1.1.0')
  expect(waiting.code).toBe(1)
  expect(waiting.screen).toContain('0 of 0 executions succeeded; promote needs 2 with at least 1')
  expect(waiting.screen).toContain('reflex skill promote orders.look_up@1.1.0 --by NAME')
  for (const _ of [1, 2, 3]) await one.run('run', 'skill:orders.look_up', '-i', 'path=order.json')
  const promoted = await one.json('skill', 'promote', 'orders.look_up@1.1.0')
  expect(promoted).toMatchObject({
    promoted: true,
    decided: 'rule',
    skill: { share: 1 },
    rollout: { verdict: 'promote', rule: { name: 'promote', runs: 2, success: 1 } },
  })
})

test('a person promotes what its rule still waits for, and a tested version goes to another environment', async () => {
  const one = shop(100)
  await approved(one, SOURCE, '1.0.0')
  const promote = { runs: 50, success: 0.9 }
  const rollout = { experiment: 'faster', shares: [{ version: '1.0.0', share: 0.5 }], promote }
  await approved(
    one,
    one.version('1.1.0', (manifest) => void (manifest['rollout'] = rollout)),
    '1.1.0',
  )
  expect(await one.json('skill', 'promote', 'orders.look_up@1.1.0', '--by', 'ana')).toMatchObject({ promoted: true, decided: 'person' })
  expect((await one.run('skill', 'promote', 'orders.look_up@1.1.0', '--to', 'production')).err).toContain('tested in production')
  expect((await one.json('skill', 'list', '--env', 'production'))['skills']).toMatchObject([
    { version: '1.1.0', state: { state: 'tested' }, share: 0 },
  ])
})

test('the gate explains what it would say, with its numbers (skill 185)', async () => {
  const one = shop(100)
  await approved(one, SOURCE, '1.0.0')
  const refused = await one.run('gate', 'explain', '--skill', 'orders.look_up', '--input', 'path=order.json', '--user', 'please help')
  expect(refused.code).toBe(1)
  expect(refused.screen).toContain('0.00 of 1.00 = 0.000, needs 0.850')
  expect(refused.screen).toContain('One keyword hit')
  const allowed = await one.json('gate', 'explain', '--skill', 'orders.look_up', '--input', 'path=order.json', '--user', 'my order')
  expect(allowed).toMatchObject({ decision: { verdict: 'approved', score: { normalised: 1_000_000 } } })
  expect((await one.json('gate', 'explain', '--skill', 'orders.look_up'))['decision']).toMatchObject({
    verdict: 'clarify',
    missing: ['path'],
  })
  expect((await one.json('runs'))['runs']).toEqual([])
})

test('show sets what a skill has saved against what it has cost', async () => {
  const one = shop(110)
  await approved(one, SOURCE, '1.0.0')
  await one.run('run', 'skill:orders.look_up', '-i', 'path=order.json')
  await one.run('run', 'skill:orders.look_up', '-i', 'path=nothing.json')
  const shown = await one.json('skill', 'show', 'orders.look_up')
  expect(shown['breakEven']).toMatchObject({
    uses: 2,
    succeeded: 1,
    saved: { calls: 0 },
    cost: { calls: 1, tokens: 0, learning: 0, tests: 0 },
  })
  expect((await one.run('skill', 'show', 'orders.look_up')).screen).toContain('learning and tests ask no model')
})

test('an exported SKILL.md that is imported is a text that cannot run (skill 186)', async () => {
  const one = shop(100)
  await approved(one, SOURCE, '1.0.0')
  await one.run('skill', 'export', 'orders.look_up', '-o', 'agents')
  const file = join(one.folder, 'agents/orders-look-up/SKILL.md')
  expect(readFileSync(file, 'utf8')).toMatch(/^---\nname: orders-look-up\ndescription: ".+"\n/)
  mkdirSync(join(one.folder, 'drafts'))
  expect((await one.run('skill', 'import', file, '--out', 'drafts')).err).toContain('it cannot run')
  const draft = 'drafts/orders.look_up.skill.json'
  const manifest = JSON.parse(readFileSync(join(one.folder, draft), 'utf8')) as Record<string, unknown>
  expect(manifest).toMatchObject({ id: 'orders.look_up', version: '0.1.0', plan: { steps: [] } })
  for (const argv of [
    ['validate', draft],
    ['skill', 'add', draft],
    ['skill', 'test', draft],
    ['run', draft, '--draft'],
    ['run', draft, '--simulate'],
  ])
    expect({ argv, ...(await one.run(...argv)) }).toMatchObject({ argv, code: 1, screen: expect.stringContaining('E_STEPS') as string })
  expect((await one.run('skill', 'import', file, '--out', 'drafts')).code).toBe(0)
  writeFileSync(join(one.folder, draft), '{}')
  expect((await one.run('skill', 'import', file, '--out', 'drafts')).err).toContain('R5040')
})

describe('a text that is no Agent Skill is refused', () => {
  test.each([
    ['without fields', '# A skill\n'],
    ['without an end of its fields', '---\nname: a\n'],
    ['without a name', '---\ndescription: a\n---\n'],
    ['with another name', '---\nname: ../a\ndescription: a\n---\n'],
    ['without a description', '---\nname: a\n---\n'],
    ['of nothing', ''],
  ])('%s', async (_, text) => {
    const one = shop()
    writeFileSync(join(one.folder, 'SKILL.md'), text)
    const { code, err } = await one.run('skill', 'import', 'SKILL.md')
    expect([code, err]).toEqual([1, expect.stringContaining('R1484')])
  })
})

test('an Agent Skill of another author keeps its name and its folded description', async () => {
  const one = shop()
  const text = '---\nname: 3d-print\ndescription: >\n  Prints\n  things.\nmetadata:\n  author: ben\n---\n\n# Print\n\nCall them.\n'
  writeFileSync(join(one.folder, 'SKILL.md'), text)
  expect(await one.json('skill', 'import', 'SKILL.md')).toMatchObject({ skill: 'skill_3d.print', runs: false })
  const draft = JSON.parse(readFileSync(join(one.folder, 'skill_3d.print.skill.json'), 'utf8')) as Record<string, unknown>
  expect(draft).toMatchObject({
    title: 'Print',
    description: 'Prints things.',
    x_imported: { name: '3d-print', text: '# Print\n\nCall them.' },
  })
})

/** Each alias, and the words of the house that it stands for. */
const ALIASES: readonly (readonly [alias: readonly string[], house: readonly string[]])[] = [
  [
    ['skill', 'validate', SOURCE],
    ['validate', SOURCE],
  ],
  [
    ['skill', 'activate', 'orders.look_up@1.0.0', '--by', 'ana'],
    ['skill', 'approve', 'orders.look_up@1.0.0', '--by', 'ana'],
  ],
  [
    ['skill', 'deprecate', 'orders.look_up'],
    ['skill', 'evict', 'orders.look_up', '--deprecate'],
  ],
  [
    ['skill', 'export', 'orders.look_up', '-o', 'a'],
    ['export', 'skill:orders.look_up', '--format', 'skill-md', '-o', 'a'],
  ],
  [['trace', 'list'], ['runs']],
  [
    ['trace', 'show', 'swift-5g7z'],
    ['trace', 'swift-5g7z'],
  ],
  [
    ['trace', 'verify', 'swift-5g7z'],
    ['replay', 'swift-5g7z'],
  ],
  [['log', 'compact'], ['gc']],
]

describe('an alias does what the words of the house do (skill 184)', () => {
  test.each(ALIASES.map(([alias, house]) => [alias.join(' '), alias, house] as const))('%s', async (_, alias, house) => {
    const prepared = async (): Promise<Shop> => {
      const one = shop()
      await one.run('skill', 'test', SOURCE)
      await one.run('run', SOURCE, '-i', 'path=order.json', '--draft', '--id', 'swift-5g7z')
      if (alias[1] === 'deprecate') await one.run('skill', 'approve', 'orders.look_up@1.0.0', '--by', 'ana')
      return one
    }
    const one = await prepared()
    // What only looks says when it was started, too.
    const other = alias[0] === 'trace' ? one : await prepared()
    const same = ({ folder }: Shop, { code, out, err }: Ended) => ({
      code,
      out: out.replaceAll(folder, ''),
      err: err.replaceAll(folder, ''),
    })
    expect(same(one, await one.run(...alias))).toEqual(same(other, await other.run(...house)))
  })

  test.each([
    [['skill', 'list'], 0],
    [['skill', 'show', 'a'], 1],
    [['skill', 'validate', SOURCE], 0],
    [['skill', 'add', SOURCE], 0],
    [['skill', 'test', 'a'], 1],
    [['skill', 'activate', 'a@1.0.0', '--by', 'ana'], 1],
    [['skill', 'approve', 'a@1.0.0', '--by', 'ana'], 1],
    [['skill', 'deprecate', 'a'], 1],
    [['skill', 'promote', 'a'], 1],
    [['skill', 'evict'], 0],
    [['skill', 'diff', 'a', '1.0.0', '1.1.0'], 1],
    [['skill', 'why', 'a', '--run', 'b'], 2],
    [['skill', 'export', 'a'], 1],
    [['skill', 'import', 'SKILL.md'], 2],
    [['bulletin', 'preview', '--user', 'a'], 0],
    [['gate', 'explain', '--skill', 'a'], 1],
    [['learn', 'snapshot'], 0],
    [['trace', 'list'], 0],
    [['trace', 'show', 'a'], 2],
    [['trace', 'verify', 'a'], 2],
    [['log', 'compact'], 0],
    [['doctor'], 0],
  ] as const)('%j works on an empty store', async (argv, code) => {
    const one = shop()
    const ended = await one.run(...argv, '--json')
    expect({ argv, code: ended.code, err: ended.err }).toMatchObject({ argv, code })
    const document = JSON.parse(ended.out === '' ? ended.err : ended.out) as Record<string, unknown>
    expect(document['v']).toBe(1)
  })

  test('words of a run are not an alias', async () => {
    const one = shop()
    expect((await one.run('trace', 'show')).err).not.toContain('R2031')
    expect((await one.run('trace', 'list', 'more')).code).toBe(2)
    expect(existsSync(join(one.folder, '.reflex'))).toBe(false)
  })
})

test('a replay with another threshold prints the decisions that change (skill 149)', async () => {
  const one = shop(100)
  await approved(one, SOURCE, '1.0.0')
  await one.run('run', 'skill:orders.look_up', '-i', 'path=nothing.json', '--id', 'swift-5g7z')
  expect(await one.json('replay', 'swift', '--what-if', '--tau', '0.2')).toEqual({ v: 1, run: 'swift-5g7z', decisions: 1, changed: [] })
  const other = one.version('1.1.0', (manifest) => {
    manifest['preconditions'] = { tools_available: ['file.read'], invariants: ["args.path == 'order.json'"] }
    manifest['tests'] = { unit_cases: ['look-up.case.json'], fuzz: { count: 0 } }
  })
  const differs = await one.run('replay', 'swift', '--mode', 'what-if', '--against', other)
  expect(differs.code).toBe(1)
  expect(differs.screen).toContain('orders.look_up: 1.0.0 approved → 1.1.0 denied (invariant_false)')
  await approved(one, other, '1.1.0')
  // Without a word of what is otherwise, what holds now is.
  expect((await one.run('replay', 'swift', '--what-if')).screen).toContain('1 decision made again · 1 would change')
  const { trace } = ((await one.json('runs', '--ids'))['runs'] as readonly { readonly trace: string }[])[0] ?? { trace: '' }
  expect((await one.run('replay', trace)).code).toBe(0)
})

test.each([
  [['replay', 'swift', '--tau', '0.5'], '--what-if'],
  [['replay', 'swift', '--what-if', '--tau', '2'], '--tau 0.7'],
  [['replay', 'swift', '--what-if', '--policy-mode', 'maybe'], '--policy-mode advise'],
  [['replay', 'swift', '--mode', 'live'], '--mode what-if'],
  [['skill', 'diff', 'orders.look_up', '1.0.0'], 'reflex skill diff orders.look_up 1.0.0 1.1.0'],
  [['skill', 'show', 'orders.look_up', 'more'], 'reflex skill show orders.look_up'],
  [['gate', 'explain'], '--skill ID'],
  [['gate', 'open', '--skill', 'a'], 'reflex gate explain'],
])('%j is refused', async (argv, fix) => {
  const one = shop()
  await one.run('skill', 'add', SOURCE)
  const { code, err } = await one.run(...argv)
  expect([code, err]).toEqual([2, expect.stringContaining(fix) as string])
})

test('a call by the id gets the active version, also beside the file of a newer draft', async () => {
  const one = shop()
  await approved(one, SOURCE, '1.0.0')
  const draft = one.version(
    '9.0.0',
    (manifest) => void (manifest['preconditions'] = { tools_available: ['file.read'], invariants: ['false'] }),
  )
  expect((await one.run('run', 'skill:orders.look_up', '-i', 'path=order.json')).code).toBe(0)
  expect((await one.run('run', draft, '-i', 'path=order.json')).err).toContain('state.draft')
})

test('doctor says how the skills of a folder are', async () => {
  const one = shop()
  const checks = async () =>
    ((await one.json('doctor'))['checks'] as readonly { readonly name: string }[]).filter(({ name }) => name === 'skills')
  expect(await checks()).toEqual([])
  await approved(one, SOURCE, '1.0.0')
  expect(await checks()).toEqual([{ name: 'skills', found: 'ok', text: '1 version of skills, 1 active' }])
  for (const _ of [1, 2, 3]) await one.run('run', 'skill:orders.look_up', '-i', 'path=nothing.json')
  expect(await checks()).toEqual([
    {
      name: 'skills',
      found: 'warning',
      text: '1 version of skills, 1 active, 1 in quarantine',
      fix: 'reflex skill test orders.look_up@1.0.0',
    },
  ])
})
