// proves: skill 55, skill 178, skill 179, skill 180
import { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { policyCheck } from '../../../src/kinds/skill/control/messages.ts'
import { fakePlane, project, skillOf } from './world.ts'

const ALLOW = { verdict: 'allow', reason: 'fine', policy_version: '7', ttl_s: 0 }

describe('a control plane', () => {
  it('is told which skill, and no value of an argument (skill 179)', async () => {
    const plane = await fakePlane(ALLOW)
    const { activate, reflex, calls } = project({ url: plane.url, token: 'tok-12345678', timeoutMs: 60_000 })
    await activate(skillOf('writes'))
    const run = await reflex.run('skill:notes.writes', { input: { note: 'canary-note-1', pin: 'canary-pin-2' } })
    expect([run.status, calls]).toEqual(['completed', ['writes']])
    const [asked] = plane.asked
    expect(asked?.headers.authorization).toBe('Bearer tok-12345678')
    expect(asked?.headers['idempotency-key']).not.toBe('')
    expect(JSON.stringify(plane.asked)).not.toContain('canary')
    const body = policyCheck.parse(JSON.parse(asked?.body ?? ''))
    expect(body).toMatchObject({ project: 'acme', env: 'staging', effects: ['kept:note'], sensitive_args: ['pin'] })
  })

  it('has the last word, and its verdict is part of the decision (skill 55)', async () => {
    const plane = await fakePlane({ ...ALLOW, verdict: 'deny', reason: 'frozen this week' })
    const { activate, ran, calls } = project({ url: plane.url, timeoutMs: 60_000 })
    await activate(skillOf('reads'))
    expect(await ran('notes.reads')).toEqual(['failed', 'policy.remote_deny'])
    plane.answer = { ...ALLOW, verdict: 'needs_promotion' }
    expect(await ran('notes.reads')).toEqual(['failed', 'policy.needs_promotion'])
    plane.answer = ALLOW
    expect(await ran('notes.reads')).toEqual(['completed', undefined])
    expect(calls).toEqual(['reads'])
  })

  it('is not asked about what is denied here, nor by a simulated run', async () => {
    const plane = await fakePlane(ALLOW)
    const { activate, reflex } = project({ url: plane.url, timeoutMs: 60_000 })
    await activate({ ...skillOf('reads'), compat: { env: 'production' } })
    expect((await reflex.run('skill:notes.reads', { input: { note: 'x' } })).status).toBe('failed')
    await activate(skillOf('writes'))
    const simulated = await reflex.run('skill:notes.writes', { input: { note: 'x' }, simulate: true })
    expect([simulated.status, simulated.value]).toEqual(['completed', {}])
    expect(plane.asked).toEqual([])
  })

  it.each([
    ['fails', { status: 500, body: '{}' }],
    ['answers garbage', { status: 200, body: '<html>' }],
    ['answers another form', { verdict: 'maybe' }],
    ['redirects', { status: 302, body: '' }],
  ] as const)('that %s leaves the work going on: what reads runs, what changes something does not (skill 180)', async (_, answer) => {
    const plane = await fakePlane(answer)
    const { activate, ran, troubles, calls } = project({ url: plane.url, timeoutMs: 60_000 })
    await activate(skillOf('reads'))
    await activate(skillOf('writes'))
    expect(await ran('notes.reads')).toEqual(['completed', undefined])
    expect(await ran('notes.writes')).toEqual(['failed', 'policy.unavailable'])
    expect(calls).toEqual(['reads'])
    expect(troubles.map(({ code }) => code)).toEqual(['R2170'])
    plane.answer = ALLOW
    expect(await ran('notes.writes')).toEqual(['completed', undefined])
    expect(await ran('notes.writes', 'y')).toEqual(['completed', undefined])
    expect(troubles.map(({ code, severity }) => [code, severity])).toEqual([
      ['R2170', 'warning'],
      ['R2171', 'info'],
    ])
  })

  it('that hangs is not waited for (skill 180)', async () => {
    const plane = await fakePlane('hangs')
    const { activate, ran, troubles } = project({ url: plane.url, timeoutMs: 20 })
    await activate(skillOf('reads'))
    await activate(skillOf('writes'))
    expect(await ran('notes.reads')).toEqual(['completed', undefined])
    expect(await ran('notes.writes')).toEqual(['failed', 'policy.unavailable'])
    expect(troubles.map(({ code }) => code)).toEqual(['R2170'])
  })

  it('that refuses the token is not asked again for the same, and nothing that changes runs', async () => {
    const plane = await fakePlane({ status: 401, body: '{"error":{"code":"R6001","message":"no token"}}' })
    const { activate, ran, troubles } = project({ url: plane.url, timeoutMs: 60_000 })
    await activate(skillOf('writes'))
    expect(await ran('notes.writes')).toEqual(['failed', 'policy.unavailable'])
    expect(troubles).toEqual([])
  })

  it('is asked once within the time of a verdict, and the decision says that it is from the cache (skill 180)', async () => {
    const plane = await fakePlane({ ...ALLOW, ttl_s: 300 })
    const { activate, reflex } = project({ url: plane.url, timeoutMs: 60_000 })
    await activate(skillOf('reads'))
    const remote = async (): Promise<unknown> => {
      const run = await reflex.run('skill:notes.reads', { input: { note: 'x' } })
      const { records } = await reflex.runtime.history(run.id)
      const notes = records.map((record) => record.more?.note as { decision?: { policy: { remote?: object } } } | undefined)
      return notes.find((note) => note?.decision !== undefined)?.decision?.policy.remote
    }
    expect(await remote()).toEqual({ verdict: 'allow', reason: 'fine', cached: false, age_s: 0 })
    expect(await remote()).toMatchObject({ verdict: 'allow', cached: true })
    expect(plane.asked).toHaveLength(1)
  })

  it('that was down three times is left alone for a while', async () => {
    const plane = await fakePlane({ status: 503, body: '{}' })
    const { activate, ran } = project({ url: plane.url, timeoutMs: 60_000 })
    await activate(skillOf('reads'))
    for (let i = 0; i < 6; i++) expect(await ran('notes.reads', `n${i}`)).toEqual(['completed', undefined])
    expect(plane.asked).toHaveLength(3)
  })

  it('that is none is no socket, whatever the environment says (skill 178)', async () => {
    const connect = vi.spyOn(Socket.prototype, 'connect')
    vi.stubEnv('REFLEX_CONTROL_PLANE', 'http://127.0.0.1:9')
    try {
      const { activate, ran } = project(null)
      await activate(skillOf('writes'))
      expect(await ran('notes.writes')).toEqual(['completed', undefined])
      expect(connect).not.toHaveBeenCalled()
    } finally {
      vi.unstubAllEnvs()
      connect.mockRestore()
    }
  })

  it.each(['http://example.com', 'https://a:b@example.com', 'ftp://x', 'no'])('is refused with the address %s', async (url) => {
    const { activate, ran } = project({ url })
    await activate(skillOf('reads'))
    await expect(ran('notes.reads')).rejects.toMatchObject({ code: 'R2174' })
  })
})
