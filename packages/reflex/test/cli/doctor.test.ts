import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { settingsOf } from '../../src/cli/doctor/settings.ts'
import type { World } from '../../src/cli/world.ts'
import { readConfig } from '../../src/app/config.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { Reflex } from '../../src/wrap/index.ts'
import { reflex, workFolder, type WorldOptions } from './worlds.ts'

interface Doctored {
  readonly code: number
  readonly works: boolean
  readonly checks: readonly { readonly name: string; readonly found: string; readonly text: string; readonly fix?: string }[]
  readonly settings: readonly { readonly name: string; readonly value?: string; readonly from: string }[]
}

async function doctor(options: WorldOptions, flags: readonly string[] = []): Promise<Doctored> {
  const { code, out, err } = await reflex(['doctor', ...flags, '--json'], options)
  expect(err).toBe('')
  return { code, ...(JSON.parse(out) as Omit<Doctored, 'code'>) }
}

const check = ({ checks }: Doctored, name: string) => checks.find((one) => one.name === name)
const setting = ({ settings }: Doctored, name: string) => settings.find((one) => one.name === name)

test('prints its checks on a terminal', async () => {
  const folder = workFolder()
  const { code, out } = await reflex(['doctor', '--no-color'], { folder, columns: 80, environment: { REFLEX_TRUST: 'untrusted' } })
  expect(code).toBe(0)
  expect(out).toMatch(
    /^reflex 0\.0\.0 {2}can work here\n {2}✓ node {10}24\.1\.0 on linux x64\n {2}✓ store {9}none yet; the first run creates/,
  )
  expect(out).toMatch(/^trust +untrusted +REFLEX_TRUST$/m)
  expect(out).toMatch(/^ {18}export REFLEX_MODEL=/m)
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThan(80)
})

test('creates nothing and changes nothing', async () => {
  const folder = workFolder()
  await doctor({ folder })
  for (const name of ['.reflex', 'home', 'state']) expect(existsSync(join(folder, name))).toBe(false)
})

test('prints a line for each check and each setting in a pipe', async () => {
  const { out } = await reflex(['doctor'], { folder: workFolder() })
  expect(out).toMatch(/^check\tnode\tok\t24\.1\.0 on linux x64\t$/m)
  expect(out).toMatch(/^setting\ttrust\tprobationary\tdefault$/m)
})

describe('checks', () => {
  test('reports a store and its runs', async () => {
    const folder = workFolder()
    await reflex(['run', 'refund.workflow.json'], { folder })
    const found = await doctor({ folder })
    expect(check(found, 'store')).toMatchObject({
      found: 'ok',
      text: expect.stringMatching(/^\.reflex\/reflex\.db · layout 5 · 1 run · \d/) as string,
    })
    expect(setting(found, 'store')).toEqual({ name: 'store', value: '.reflex/reflex.db', from: 'nearest upwards' })
  })

  test.each([
    ['no database', 'reflex.db', 'this is text, and longer than the magic words of a database'],
    ['a foreign file', 'reflex.db', 'SQLite format 3'],
  ])('fails with 3 for a store that is %s', async (_, name, text) => {
    const folder = workFolder()
    writeFileSync(join(folder, name), text)
    const found = await doctor({ folder }, ['--store', name])
    expect(found).toMatchObject({ code: 3, works: false })
    expect(check(found, 'store')).toMatchObject({ found: 'failed', text: expect.stringMatching(/^R502\d /) as string })
  })

  test('fails with 3 for an old version of Node', async () => {
    const found = await doctor({ folder: workFolder(), node: '20.19.4' })
    expect(found.code).toBe(3)
    expect(check(found, 'node')).toEqual({
      name: 'node',
      found: 'failed',
      text: '20.19.4 on linux x64, older than 22.13',
      fix: 'npm install node@24',
    })
  })

  test('fails with 3 for an unreadable policy', async () => {
    const folder = workFolder()
    writeFileSync(join(folder, 'bad.policy.json'), '{"alow": []}')
    const found = await doctor({ folder, environment: { REFLEX_TRUST: 'ful', REFLEX_POLICY: 'bad.policy.json' } })
    expect(found.code).toBe(3)
    expect(check(found, 'trust')).toMatchObject({ found: 'failed', text: expect.stringContaining('R3013') as string })
    expect(check(found, 'policy')).toMatchObject({ found: 'failed', text: expect.stringContaining('R3011') as string })
  })

  test.each<[string, Record<string, string>, string, string, string | undefined]>([
    ['none', {}, 'none', 'none is configured', 'export REFLEX_MODEL='],
    ['without a key', { REFLEX_MODEL: 'openai:gpt-5-mini' }, 'warning', 'openai:gpt-5-mini has no key', 'export OPENAI_API_KEY=KEY'],
    ['with a key', { REFLEX_MODEL: 'openai:gpt-5-mini', OPENAI_API_KEY: 'sk-very-secret-1234' }, 'ok', 'keys OPENAI_API_KEY', undefined],
    [
      'with a key of another',
      { REFLEX_MODEL: 'openai:gpt-5-mini', ANTHROPIC_API_KEY: 'sk-very-secret-1234' },
      'warning',
      'has no key',
      'export OPENAI',
    ],
    [
      'without its package',
      { REFLEX_MODEL: 'mistral:small', MISTRAL_API_KEY: 'sk-very-secret-1234' },
      'warning',
      'not installed',
      'npm install @ai-sdk/mistral',
    ],
    [
      'of a cloud without its package',
      { REFLEX_MODEL: 'bedrock:m', AWS_REGION: 'eu', AWS_ACCESS_KEY_ID: 'sk-very-secret-1234' },
      'warning',
      'keys AWS_REGION, AWS_ACCESS_KEY_ID',
      'npm install @ai-sdk/amazon-bedrock',
    ],
    ['of nobody', { REFLEX_MODEL: 'nobody:x' }, 'warning', 'R4002', 'if @ai-sdk/nobody is a package that you trust'],
    ['that is misspelt', { REFLEX_MODEL: 'opnai:gpt-5' }, 'warning', 'did you mean "openai"?', 'write openai:gpt-5'],
    ['of no provider', { REFLEX_MODEL: 'llama3' }, 'warning', 'names no provider', 'set REFLEX_BASE_URL'],
    ['of a server', { REFLEX_MODEL: 'llama3', REFLEX_BASE_URL: 'http://localhost:11434/v1' }, 'ok', 'llama3', undefined],
    [
      'of a password',
      { REFLEX_BASE_URL: 'http://user:pass@localhost:11434/v1' },
      'warning',
      'R4002 REFLEX_BASE_URL contains',
      'remove everything',
    ],
    [
      'of no address',
      { REFLEX_MODEL: 'simulated', REFLEX_BASE_URL: 'user:pass@localhost:11434/v1?key=very-secret' },
      'warning',
      'is not the address',
      'http://',
    ],
    [
      'beside a server',
      { REFLEX_MODEL: 'google:gemini', GOOGLE_API_KEY: 'sk-very-secret-1234', REFLEX_BASE_URL: 'http://localhost:11434/v1' },
      'warning',
      'not installed',
      'npm install @ai-sdk/google',
    ],
    ['made up', { REFLEX_MODEL: 'simulated' }, 'ok', 'no model is called', undefined],
  ])('reports a model %s', async (_, environment, found, text, fix) => {
    const seen = await doctor({ folder: workFolder(), environment })
    expect(seen.code).toBe(0)
    expect(check(seen, 'model')).toMatchObject({ found, text: expect.stringContaining(text) as string })
    if (fix === undefined) expect(check(seen, 'model')?.fix).toBeUndefined()
    else expect(check(seen, 'model')?.fix).toContain(fix)
    expect(JSON.stringify(seen)).not.toMatch(/very-secret|user:pass/)
  })

  test('finds system programs on the PATH without starting them', async () => {
    const folder = workFolder()
    writeFileSync(join(folder, 'git'), '', { mode: 0o755 })
    writeFileSync(join(folder, 'bwrap'), '', { mode: 0o644 })
    const found = await doctor({ folder, environment: { PATH: `relative:${folder}` } })
    expect(check(found, 'git')).toMatchObject({ found: 'ok', text: join(folder, 'git') })
    expect(check(found, 'sandbox')).toMatchObject({ found: 'none' })
  })

  test('warns of a secret that others can read', async () => {
    const folder = workFolder()
    mkdirSync(join(folder, 'home/.reflex'), { recursive: true })
    const secret = join(folder, 'home/.reflex/secret')
    writeFileSync(secret, 'hidden')
    chmodSync(secret, 0o644)
    const found = await doctor({ folder })
    expect(check(found, 'secret')).toEqual({
      name: 'secret',
      found: 'warning',
      text: `${secret} can be read by others`,
      fix: `chmod 600 ${secret}`,
    })
    expect(JSON.stringify(found)).not.toContain('hidden')
    chmodSync(secret, 0o600)
    expect(check(await doctor({ folder }), 'secret')).toMatchObject({ found: 'ok' })
  })

  test('warns of a terminal without UTF-8', async () => {
    const { out } = await reflex(['doctor'], { folder: workFolder(), columns: 80, environment: { LANG: 'C' } })
    expect(out).toMatch(/^[\n -~\u001b]*$/)
    expect(out).toContain('export LC_ALL=C.UTF-8')
  })
})

describe('the origin of a setting', () => {
  test('a flag precedes the environment, the file and the default, in this order', async () => {
    const folder = workFolder()
    const config = join(folder, 'reflex.config.json')
    writeFileSync(config, '{ "trust": "untrusted", "model": "openai:gpt-5-mini" } // beside the programs')
    expect(setting(await doctor({ folder }), 'trust')).toEqual({ name: 'trust', value: 'untrusted', from: 'reflex.config.json' })
    const environment = { REFLEX_TRUST: 'trusted', REFLEX_MODEL: 'simulated', REFLEX_STORE: 'memory:', REFLEX_KEEP: '30d' }
    const found = await doctor({ folder, environment }, ['--store', 'mine.db'])
    expect(setting(found, 'retention')).toEqual({ name: 'retention', value: '30d', from: 'REFLEX_KEEP' })
    expect(setting(await doctor({ folder }), 'retention')).toEqual({ name: 'retention', value: 'ended runs are kept', from: 'default' })
    expect(setting(found, 'trust')).toEqual({ name: 'trust', value: 'trusted', from: 'REFLEX_TRUST' })
    expect(setting(found, 'model')).toEqual({ name: 'model', value: 'simulated', from: 'REFLEX_MODEL' })
    expect(setting(found, 'store')).toEqual({ name: 'store', value: 'mine.db', from: '--store' })
    rmSync(config)
    expect(setting(await doctor({ folder }), 'trust')).toEqual({ name: 'trust', value: 'probationary', from: 'default' })
  })

  test('a setting that a file must not contain is a warning', async () => {
    const folder = workFolder()
    writeFileSync(join(folder, 'reflex.config.json'), '{ "trust": "autonomous", "base_url": "http://evil.example/v1" }')
    const found = await doctor({ folder })
    expect(found).toMatchObject({ code: 0, works: true })
    expect(found.checks.filter(({ name }) => name === 'settings').map(({ found: mark, text }) => [mark, text.includes('R2034')])).toEqual([
      ['warning', true],
      ['warning', true],
    ])
    expect(setting(found, 'trust')?.value).toBe('probationary')
    expect(setting(found, 'base URL')?.value).toBeUndefined()
  })

  test.each([
    ['REFLEX_BASE_URL', 'base URL', 'https://u:p@host.example:8080/v1?key=k#f', 'https://host.example:8080/v1'],
    ['REFLEX_BASE_URL', 'base URL', 'http://localhost:11434', 'http://localhost:11434'],
    ['REFLEX_BASE_URL', 'base URL', 'https://u:p/w@host.example/v1', 'https://…'],
    ['REFLEX_BASE_URL', 'base URL', 'https://u:p#w@host.example/v1', 'https://…'],
    ['REFLEX_BASE_URL', 'base URL', 'u:p@host.example/v1?key=k', 'host.example/v1'],
    ['REFLEX_STORE', 'store', 'postgres://u:p@host.example:5432/runs?password=k', 'postgres://host.example:5432/runs'],
  ])('%s is shown without secrets: %s %s', (variable, name, value, shown) => {
    const { surroundings, out } = { surroundings: { cwd: '/', environment: { [variable]: value }, actor: 'ana' }, out: {} }
    const found = settingsOf({ surroundings, out } as unknown as World, {}, undefined).find((one) => one.name === name)
    expect(found).toMatchObject({ value: shown, from: variable })
  })

  test('unreadable settings are a warning', async () => {
    const folder = workFolder()
    writeFileSync(join(folder, 'reflex.config.json'), '{ "modle": "x" }')
    const found = await doctor({ folder })
    expect(found.code).toBe(0)
    expect(check(found, 'settings')).toMatchObject({ found: 'warning', text: expect.stringContaining('R1025') as string })
  })
})

describe('reflex.config.json', () => {
  const read = (text: string, folder = workFolder()) => {
    writeFileSync(join(folder, 'reflex.config.json'), text)
    return readConfig(folder)
  }

  test('may be missing; the nearest one upwards counts', () => {
    const folder = workFolder()
    expect(readConfig(folder)).toEqual({ file: undefined, programs: [], warnings: [] })
    mkdirSync(join(folder, 'a/b'), { recursive: true })
    read('{ "agent": "outer" }', folder)
    expect(readConfig(join(folder, 'a/b')).agent).toBe('outer')
    read('{ "agent": "inner" }', join(folder, 'a'))
    expect(readConfig(join(folder, 'a/b')).agent).toBe('inner')
  })

  test.each([
    ['untrusted', 'untrusted'],
    ['probationary', 'probationary'],
    ['trusted', undefined],
    ['veteran', undefined],
    ['autonomous', undefined],
  ])('trust %s becomes %s', (trust, expected) => {
    const config = read(JSON.stringify({ trust }))
    expect(config.trust).toBe(expected)
    expect(config.warnings.map(({ code, line, path }) => [code, line, path])).toEqual(expected === undefined ? [['R2034', 1, 'trust']] : [])
  })

  test.each(['policy', 'store', 'baseUrl', 'base_url', 'BASE-URL', 'by', 'actor', 'tools', 'secret', 'record', 'answers'])(
    '%s is ignored, with its place',
    (key) => {
      const config = read(`{\n  "model": "a:b",\n  ${JSON.stringify(key)}: "x"\n}`)
      expect(config.model).toBe('a:b')
      expect(Object.keys(config)).toEqual(['file', 'model', 'kinds', 'programs', 'warnings'])
      expect(config.warnings.map(({ code, line, column, severity }) => [code, line, column, severity])).toEqual([
        ['R2034', 3, 3, 'warning'],
      ])
    },
  )

  test('programs must lie below its folder, also through links', () => {
    const folder = workFolder()
    for (const name of ['inner', 'outer']) mkdirSync(join(folder, 'home', name === 'inner' ? 'here/inner' : name), { recursive: true })
    const here = join(folder, 'home/here')
    symlinkSync(join(folder, 'home/outer'), join(here, 'link'))
    const config = read('{ "programs": ["inner", "../outer", "/etc", "link", ".."] }', here)
    expect(config.programs).toEqual([join(here, 'inner')])
    expect(config.warnings.map(({ path }) => path)).toEqual(['programs[1]', 'programs[2]', 'programs[3]', 'programs[4]'])
  })

  test.each([
    ['{', 1, ''],
    ['[]', 1, ''],
    ['{ "modle": "x" }', 1, 'model'],
    ['{\n "trust": "ful" }', 2, ''],
    ['{ "programs": "x" }', 1, ''],
  ])('%j is ignored completely, with a warning that names the place', (text, line, fix) => {
    const { warnings, ...config } = read(text)
    expect(config).toEqual({ file: expect.stringMatching(/reflex\.config\.json$/) as string, programs: [] })
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'R1025', severity: 'warning', line, fix: expect.stringContaining(fix) as string }),
    ])
  })

  test('a folder of that name is ignored', () => {
    const folder = workFolder()
    mkdirSync(join(folder, 'reflex.config.json'))
    expect(readConfig(folder).warnings).toEqual([expect.objectContaining({ code: 'R1025' })])
  })
})

describe('prices', () => {
  test('show their age, and warn if they are old', async () => {
    const folder = workFolder()
    writeFileSync(join(folder, 'prices.json'), '\ufeff{"date": "2026-02-01", "prices": {"test": {"input": 1, "output": 2}}}')
    const environment = { REFLEX_PRICES: 'prices.json' }
    const at = async (date: string): Promise<ReturnType<typeof check>> =>
      check(await doctor({ folder, environment, host: virtualHost({ at: Date.parse(date) }) }), 'prices')
    expect(await at('2026-02-11T12:00:00Z')).toMatchObject({ found: 'ok', text: 'taken on 2026-02-01, 10 days ago · prices.json' })
    expect(await at('2026-12-01T12:00:00Z')).toMatchObject({
      found: 'warning',
      text: 'taken on 2026-02-01, 303 days ago · prices.json: costs may be wrong',
    })
  })
})

test.each([
  'http://ana:hushhush@127.0.0.1:9/v1',
  'http://127.0.0.1:9/v1?api_key=hushhush',
  'https://hushhushhushhushhushhush@127.0.0.1:9/v1',
])('a secret in the base URL is not shown: %s', async (url) => {
  const options = { folder: workFolder(), environment: { REFLEX_BASE_URL: url, REFLEX_MODEL: 'llama3' } }
  for (const flags of [[], ['--json']]) {
    const { out, err } = await reflex(['doctor', ...flags], options)
    expect(out + err).not.toContain('hush')
  }
})

test('lists turns whose process has ended, which no worker takes', async () => {
  const folder = workFolder()
  const own = new Reflex({
    workdir: folder,
    store: join(folder, 'turns.db'),
    surroundings: { host: virtualHost(), worker: { id: 'one', host: 'test', pid: 1 }, cwd: folder, environment: {}, actor: 'ana' },
  })
  const agent = own.wrap({ agent: async (_: string, { llm }) => llm('x'), llm: (_: string) => new Promise<string>(() => undefined) })
  const begun = Promise.withResolvers<string>()
  void agent.run('x', { onStart: begun.resolve }).catch(() => undefined)
  const run = await begun.promise
  await own.close()
  const found = await doctor({ folder }, ['--store', 'turns.db'])
  expect(check(found, 'turns')).toMatchObject({ found: 'warning', text: `1 interrupted turn: ${run}` })
})
