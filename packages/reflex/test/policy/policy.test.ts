import { describe, expect, it } from 'vitest'
import { type Fault, systemHost } from '../../src/kernel/index.ts'
import {
  createPolicy,
  lesserTrust,
  type OperatorPolicy,
  type JudgedCall,
  type PolicySettings,
  type PolicyVerdict,
  readTrust,
  type Trust,
  TRUST_LEVELS,
} from '../../src/policy/index.ts'
import { createTools } from '../../src/tools/index.ts'
import { callWith } from './settings.ts'

const workdir = '/home/ana/project'
const runFolder = (run: string): string => `${workdir}/.reflex/runs/${run}`

/** A call of a run of this trust. */
const callOf = (trust: Trust, run = 'otter'): JudgedCall => callWith({ trust, workdir, folder: runFolder(run) }, run)

/** A policy, asked about runs of one level of trust. */
class Asked {
  readonly made: OperatorPolicy
  readonly trust: Trust

  constructor(trust: Trust, settings: PolicySettings) {
    this.made = createPolicy(settings)
    this.trust = trust
  }

  judge(run: string, need: string, exactly?: boolean): PolicyVerdict {
    return this.made.judgeCall(callOf(this.trust, run), need, exactly)
  }

  allows(run: string, need: string, exactly?: boolean): boolean {
    return this.judge(run, need, exactly).allowed
  }
}

function policy(trust: Trust, settings: PolicySettings = {}): Asked {
  return new Asked(trust, settings)
}

function ask({ made, trust }: Asked, ...needs: string[]): Fault | undefined {
  const judgement = made.judge(callOf(trust), { leaves: false, repeat: 'free', needs })
  return 'refused' in judgement ? judgement.refused : undefined
}

const read = (path: string): string => `arbor://fs/read${path}`
const write = (path: string): string => `arbor://fs/write${path}`

describe('what a level of trust grants by itself', () => {
  const from = (level: Trust): readonly Trust[] => TRUST_LEVELS.slice(TRUST_LEVELS.indexOf(level))
  const rows: [needs: string, levels: readonly Trust[]][] = [
    ['arbor://human/ask', from('untrusted')],
    ['arbor://orchestrator/execute/llm_query', from('untrusted')],
    [read(`${runFolder('otter')}/a`), from('untrusted')],
    [write(`${runFolder('otter')}/a/b`), from('untrusted')],
    ['arbor://tool/file.write', from('untrusted')],
    ['arbor://tool/git.log', from('untrusted')],
    [read(`${workdir}/src/a.ts`), from('probationary')],
    [read(workdir), from('probationary')],
    [read(`${workdir}/.git`), from('probationary')],
    [write(`${workdir}/src/a.ts`), from('probationary')],
    ['arbor://tool/command', from('probationary')],
    ['arbor://tool/shell', from('probationary')],
    ['arbor://tool/payments.refund', from('trusted')],
    ['arbor://shell/exec', from('probationary')],
    ['arbor://orchestrator/map/dispatch', from('untrusted')],
    ['arbor://orchestrator/invoke', from('probationary')],
    ['arbor://orchestrator/adapt/probationary', from('probationary')],
    ['arbor://orchestrator/adapt/veteran', from('veteran')],
    ['arbor://action/file_write', from('trusted')],
    ['arbor://shell/exec/unsandboxed', from('trusted')],
    [read('/etc/hosts'), []],
    [write('/etc/hosts'), []],
    [read('/home/ana'), []],
    [read('/home/ana/project2/a'), []],
    [read(runFolder('stork')), []],
    [write(runFolder('stork')), []],
    [read(`${workdir}/.reflex/reflex.db`), []],
    [write(`${workdir}/.reflex/reflex.db`), []],
    ['arbor://net/example.org', []],
    ['arbor://nothing/known', []],
  ]
  // proves: pipeline 5.2e
  it.each(rows)('%s', (need, levels) => {
    expect(TRUST_LEVELS.filter((level) => policy(level).allows('otter', need))).toEqual(levels)
  })

  it('reaches every built-in tool, and below probationary those that run no command', () => {
    const names = createTools({ host: systemHost, environment: {} }).names()
    const granted = (trust: Trust): readonly string[] => names.filter((name) => policy(trust).allows('otter', `arbor://tool/${name}`))
    expect(granted('probationary')).toEqual(names)
    expect(granted('untrusted')).toEqual(names.filter((name) => name !== 'command' && name !== 'shell'))
  })
})

describe('a refusal', () => {
  it('names what is needed, the trust of the run, and the least that would do', () => {
    expect(ask(policy('untrusted'), 'arbor://human/ask', 'arbor://shell/exec', 'arbor://tool/command')).toMatchObject({
      code: 'R3001',
      message: 'needs arbor://shell/exec and arbor://tool/command; this run is untrusted',
      fix: 'run or fork it with --trust probationary, or put {"allow":["arbor://shell/exec","arbor://tool/command"]} into a file and name it with --policy',
      run: 'otter',
      data: { needs: ['arbor://shell/exec', 'arbor://tool/command'], trust: 'untrusted' },
    })
    expect(ask(policy('probationary'), 'arbor://shell/exec/unsandboxed')).toMatchObject({
      fix: 'commands run in a sandbox below trusted: run or fork it with --trust trusted, or put {"allow":["arbor://shell/exec/unsandboxed"]} into a file and name it with --policy',
    })
    expect(ask(policy('untrusted'), read(`${workdir}/a`))).toMatchObject({
      fix: `run or fork it with --trust probationary, or put {"allow":["${read(`${workdir}/a`)}"]} into a file and name it with --policy`,
    })
    expect(ask(policy('autonomous'), read('/etc/hosts'))).toMatchObject({
      fix: `put {"allow":["${read('/etc/hosts')}"]} into a file and name it with --policy`,
    })
  })

  it('says which file denies', () => {
    const denying = policy('autonomous', {
      grants: [{ file: 'safe.policy.json', deny: ['arbor://fs/read/**/'.slice(0, -1), 'arbor://shell/**'] }],
    })
    expect(ask(denying, 'arbor://shell/exec')).toMatchObject({
      message: 'needs arbor://shell/exec; safe.policy.json denies arbor://shell/**',
      fix: 'remove arbor://shell/** from "deny" in safe.policy.json',
    })
  })

  it('comes for whatever is no capability', () => {
    const all = policy('autonomous', { grants: [{ file: undefined, allow: ['arbor://**'] }] })
    expect(ask(all, 'arbor://any/thing')).toBeUndefined()
    for (const need of [
      '',
      'fs/read/a',
      'arbor://',
      'ARBOR://fs/read/a',
      'arbor://fs//read',
      'arbor://fs/read/**',
      'arbor://fs/*',
      'arbor://fs/read/..',
      'arbor://fs/read/%2e%2E/a',
      'arbor://fs/read/%2f',
      'arbor://fs/read/a%5Cb',
      'arbor://fs/read/%',
      'arbor://fs/read/a?b',
      'arbor://fs/read/a b',
      'arbor://fs/read/a%00',
    ]) {
      expect(ask(all, need), need).toMatchObject({ code: 'R3001' })
    }
  })

  it('does not come for an effect that needs nothing', () => {
    expect(ask(policy('untrusted'))).toBeUndefined()
  })
})

describe('what an operator allows and denies', () => {
  it('adds to the level of trust, and a denial wins', () => {
    const mixed = policy('probationary', {
      grants: [
        { file: 'a.policy.json', allow: ['arbor://fs/read/srv/data/**', 'arbor://tool/*', 'arbor://fs/write/srv/out.txt'] },
        { file: 'b.policy.json', deny: ['arbor://fs/read/srv/data/secret/**', `arbor://fs/read${workdir}/.env`, 'arbor://tool/git.log'] },
      ],
    })
    const allowed = (need: string): boolean => mixed.allows('otter', need)
    expect(allowed(read('/srv/data/a/b'))).toBe(true)
    expect(allowed(read('/srv/data'))).toBe(true)
    expect(allowed(read('/srv/data/secret'))).toBe(false)
    expect(allowed(read('/srv/database'))).toBe(false)
    expect(allowed(write('/srv/out.txt'))).toBe(true)
    expect(allowed(write('/srv/out.txt/x'))).toBe(false)
    expect(allowed('arbor://tool/command')).toBe(true)
    expect(allowed('arbor://tool/a/b')).toBe(false)
    expect(allowed(read(`${workdir}/.env`))).toBe(false)
    expect(allowed('arbor://tool/git.log')).toBe(false)
    expect(mixed.judge('otter', read('/srv/data/x'))).toEqual({ allowed: true, by: 'a.policy.json', rule: 'arbor://fs/read/srv/data/**' })
    expect(mixed.judge('otter', 'arbor://tool/git.log')).toEqual({ allowed: false, by: 'b.policy.json', rule: 'arbor://tool/git.log' })
    expect(mixed.judge('otter', read('/etc'))).toEqual({ allowed: false, by: 'nobody' })
    expect(mixed.judge('otter', 'arbor://human/ask')).toEqual({ allowed: true, by: 'probationary', rule: 'arbor://human/ask' })
  })

  it('with a star does not count where a grant by name is asked for', () => {
    const allows = (allow: readonly string[], need: string): boolean =>
      policy('autonomous', { grants: [{ file: 'p', allow }] }).allows('otter', need, true)
    expect(allows(['arbor://net/*', 'arbor://net/**', 'arbor://**'], 'arbor://net/127.0.0.1')).toBe(false)
    expect(allows(['arbor://net/*', 'arbor://net/127.0.0.1'], 'arbor://net/127.0.0.1')).toBe(true)
    const denying = policy('autonomous', { grants: [{ file: 'p', allow: ['arbor://net/127.0.0.1'], deny: ['arbor://net/**'] }] })
    expect(denying.allows('otter', 'arbor://net/127.0.0.1', true)).toBe(false)
  })

  it('may name the home folder', () => {
    const grants = [{ file: 'p', allow: ['arbor://fs/write/{home}/reports/**'] }]
    expect(policy('untrusted', { grants, home: '/home/ana' }).allows('otter', write('/home/ana/reports/a'))).toBe(true)
    expect(policy('untrusted', { grants }).allows('otter', write('/home/ana/reports/a'))).toBe(false)
  })

  it('may name the work folder and the folder of the run', () => {
    const named = policy('untrusted', {
      grants: [{ file: 'p', allow: ['arbor://fs/write/{work}/dist/**'], deny: ['arbor://fs/write/{run}/**'] }],
    })
    expect(named.allows('otter', write(`${workdir}/dist/a`))).toBe(true)
    expect(named.allows('otter', write(`${workdir}/src/a`))).toBe(false)
    expect(named.allows('otter', write(`${runFolder('otter')}/a`))).toBe(false)
    expect(named.allows('otter', write('/%7Bwork%7D/dist/a'))).toBe(false)
  })

  it('is refused before any run when it cannot be understood', () => {
    expect(() => policy('trusted', { grants: [{ file: 'p.json', allow: ['arbor://fs/read/*.md'] }] })).toThrow(
      expect.objectContaining({ code: 'R3012', file: 'p.json', path: 'allow[0]' }) as Error,
    )
    expect(() => policy('trusted', { grants: [{ file: 'p.json', deny: ['arbor://fs/**/read'] }] })).toThrow(
      expect.objectContaining({ code: 'R3012', path: 'deny[0]' }) as Error,
    )
  })

  it('follows the trust that is stored with each run', () => {
    const each = createPolicy({})
    const allows = (trust: Trust, run: string) => each.judgeCall(callOf(trust, run), 'arbor://shell/exec').allowed
    expect(allows('trusted', 'otter')).toBe(true)
    expect(allows('untrusted', 'stork')).toBe(false)
    expect(allows('trusted', 'otter')).toBe(true)
  })
})

describe('what a program says ahead that it will need', () => {
  const ahead = (trust: Trust, need: string, settings: PolicySettings = {}): boolean =>
    createPolicy(settings).judgeAhead(callOf(trust), need).allowed

  it('may name folders, which stand for their own paths', () => {
    expect(ahead('probationary', 'arbor://fs/read/{work}/src/a.ts')).toBe(true)
    expect(ahead('untrusted', 'arbor://fs/read/{work}/src/a.ts')).toBe(false)
    expect(ahead('untrusted', 'arbor://fs/write/{run}/a')).toBe(true)
    expect(ahead('probationary', 'arbor://fs/read/{work}/.reflex/reflex.db')).toBe(false)
    expect(ahead('probationary', 'arbor://fs/read/{work}/../a')).toBe(false)
    expect(ahead('autonomous', 'arbor://fs/read/{home}/a', { home: '/home/ana' })).toBe(false)
    expect(ahead('autonomous', 'arbor://fs/read/{home}/project/a', { home: '/home/ana' })).toBe(true)
  })

  it('may leave open which path, host or tool it is', () => {
    expect(ahead('untrusted', 'arbor://fs/read')).toBe(true)
    expect(ahead('autonomous', 'arbor://net')).toBe(false)
    expect(ahead('untrusted', 'arbor://net', { grants: [{ file: 'p', allow: ['arbor://net/example.org'] }] })).toBe(true)
    expect(ahead('autonomous', 'arbor://fs/write', { grants: [{ file: 'p', deny: ['arbor://fs/write/**'] }] })).toBe(false)
    expect(ahead('autonomous', 'arbor://fs')).toBe(false)
  })

  it('says nothing of what is then touched: a folder is no wildcard', () => {
    expect(policy('autonomous').allows('otter', 'arbor://fs/read')).toBe(false)
    expect(policy('autonomous').allows('otter', 'arbor://fs/read/{work}/a')).toBe(false)
  })
})

describe('trust', () => {
  it('is one of five words', () => {
    expect(readTrust(' Trusted ', '--trust')).toBe('trusted')
    expect(() => readTrust('root', '--trust')).toThrow(expect.objectContaining({ code: 'R3013' }) as Error)
  })

  it('is lowered and never raised', () => {
    expect(lesserTrust('trusted', 'untrusted')).toBe('untrusted')
    expect(lesserTrust('probationary', 'autonomous')).toBe('probationary')
  })
})

describe('hosts', () => {
  const denying = (rule: string): Asked => policy('trusted', { grants: [{ file: 'p.json', allow: ['arbor://net/*'], deny: [rule] }] })

  it.each([
    ['localhost', ['LOCALHOST', 'localhost.', 'LocalHost', 'local%68ost']],
    ['b\u00fccher.example', ['xn--bcher-kva.example', 'B\u00dcCHER.example', 'xn--bcher-kva.EXAMPLE.']],
    ['127.0.0.1', ['127.1', '0x7f.1', '2130706433', '%3A%3Affff%3A127.0.0.1', '%3A%3AFFFF%3A7f00%3A1', '[%3A%3Affff%3A7f00%3A1]']],
    ['%3A%3A1', ['0%3A0%3A0%3A0%3A0%3A0%3A0%3A1', '%5B%3A%3A1%5D', '%3A%3A0001', '%3A%3A1%25eth0']],
  ])('%s is the same in every spelling, in a rule and in what is needed', (host, others) => {
    const all = [host, ...others].map((one) => `arbor://net/${one}`)
    for (const rule of all)
      for (const need of all) expect(denying(rule).judge('otter', need), `${rule} ${need}`).toMatchObject({ allowed: false, by: 'p.json' })
  })

  it('that differ stay different', () => {
    for (const need of ['arbor://net/localhost.example', 'arbor://net/xn--localhost', 'arbor://net/127.0.0.2'])
      expect(denying('arbor://net/localhost').judge('otter', need).allowed, need).toBe(true)
    expect(denying('arbor://net/localhost').judge('otter', 'arbor://net/exa%20mple').allowed).toBe(false)
  })
})

it('a bound wins over a level that grants without one, also once it has ended', () => {
  const need = 'arbor://shell/exec'
  const bounded = (more: object): Asked =>
    policy('trusted', { now: () => 10, grants: [{ file: 'p.json', bounded: [{ capability: need, ...more }] }] })
  expect(bounded({ maxUses: 2 }).judge('otter', need)).toMatchObject({ allowed: false, by: 'p.json', terms: { maxUses: 2 } })
  expect(bounded({ maxUses: 2 }).made.judgeAhead(callOf('trusted'), need)).toMatchObject({ allowed: false, terms: { maxUses: 2 } })
  expect(bounded({ expiresAt: 11 }).judge('otter', need)).toMatchObject({ allowed: true, by: 'p.json' })
  expect(bounded({ expiresAt: 10 }).judge('otter', need)).toMatchObject({ allowed: false })
  expect(bounded({ maxUses: 2 }).judge('otter', 'arbor://shell/exec/unsandboxed').allowed).toBe(true)
})
