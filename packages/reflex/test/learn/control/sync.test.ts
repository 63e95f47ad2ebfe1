// proves: skill 181, skill 182, skill 183
import { generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Reflex } from '../../../src/app/reflex.ts'
import { manifestJson } from '../../../src/kinds/skill/manifest/canonical.ts'
import { telemetry } from '../../../src/kinds/skill/control/messages.ts'
import { controlledProject } from '../../../src/learn/control/control-plane.ts'
import { askPromotion } from '../../../src/learn/control/promote.ts'
import { syncSkills } from '../../../src/learn/control/sync.ts'
import { reportUsage } from '../../../src/learn/control/telemetry.ts'
import { projectRegistry } from '../../../src/learn/snapshot/project-registry.ts'
import { SkillRegistry } from '../../../src/learn/registry/registry.ts'
import { newFolder } from '../../app/folders.ts'
import { served } from '../../serve/served.ts'
import { activate, caseOf, fakePlane, project, readSource, skillOf } from './world.ts'

/** The server of a team, and a project elsewhere. */
async function team() {
  const server = await served()
  const here = project({ url: server.url, token: server.token, timeoutMs: 60_000 })
  const { store, host } = server.reflex
  const place = { project: 'acme', env: 'staging', by: 'ana', sdk: '1', now: () => host.now(), unique: () => host.entropy() }
  const staging = new SkillRegistry(store, place)
  return { server, staging, here, controlled: () => controlledProject(here.reflex, here.opened) }
}

const NOTHING = { activated: [], waiting: [], failed: [], deprecated: [], revoked: [], refused: [] }

async function sent(source: object, more: object = {}): Promise<object> {
  const { skill } = await readSource(source)
  if (skill === undefined) throw new Error('the skill is not valid')
  const does = skill.manifest.id === 'notes.writes' ? 'writes' : 'reads'
  return { manifest: manifestJson(skill.manifest), content_hash: skill.hash, state: 'active', cases: [caseOf(does)], ...more }
}

describe('skills are synchronised (skill 181)', () => {
  it('a skill of the team is tested here, becomes active and runs; the next time nothing has changed', async () => {
    const { here, staging, controlled } = await team()
    await activate(staging, skillOf('writes'))
    expect(await syncSkills(controlled())).toEqual({ ...NOTHING, activated: ['notes.writes@1.0.0'] })
    expect(await here.ran('notes.writes')).toEqual(['completed', undefined])
    expect(await syncSkills(controlled())).toEqual(NOTHING)
    const { state } = await here.registry.find('notes.writes')
    expect(state).toMatchObject({ state: 'active', reason: 'approved by ana, synchronised' })
  })

  it('a revoked skill is out of use at once, a deprecated one is offered no more', async () => {
    const { here, staging, controlled } = await team()
    await activate(staging, skillOf('writes'))
    await activate(staging, skillOf('reads'))
    await syncSkills(controlled())
    await staging.retire(await staging.find('notes.writes'), 'quarantined', 'it pays twice')
    await staging.retire(await staging.find('notes.reads'), 'deprecated', 'old')
    expect(await syncSkills(controlled())).toEqual({ ...NOTHING, deprecated: ['notes.reads@1.0.0'], revoked: ['notes.writes@1.0.0'] })
    expect((await here.registry.find('notes.writes')).state.state).toBe('evicted')
    await expect(here.ran('notes.writes')).rejects.toMatchObject({ code: 'R1021' })
  })

  it('a manifest that was changed on the way is refused, and asked for again', async () => {
    const good = (await sent(skillOf('reads'))) as { manifest: object }
    const plane = await fakePlane({ cursor: 5, skills: [{ ...good, manifest: { ...good.manifest, title: 'another' } }] })
    const here = project({ url: plane.url, timeoutMs: 60_000 })
    const controlled = controlledProject(here.reflex, here.opened)
    const { refused } = await syncSkills(controlled)
    expect(refused.map(({ code, message }) => [code, message])).toEqual([
      ['R2173', 'notes.reads@1.0.0: its text does not have the hash that was sent with it'],
    ])
    expect(await here.registry.list()).toEqual([])
    plane.answer = { cursor: 5, skills: [good] }
    expect(await syncSkills(controlled)).toMatchObject({ activated: ['notes.reads@1.0.0'] })
    plane.answer = { cursor: 9, skills: [await sent({ ...skillOf('reads'), title: 'another text of the version' })] }
    expect((await syncSkills(controlled)).refused).toMatchObject([{ code: 'R2173' }])
    expect((await here.registry.find('notes.reads')).state.state).toBe('active')
  })

  it('one that changes something and that nobody has approved waits for a person; one whose tests fail here is not used', async () => {
    const plane = await fakePlane({ cursor: 2, skills: [await sent(skillOf('writes')), await sent(skillOf('reads'), { cases: [] })] })
    const here = project({ url: plane.url, timeoutMs: 60_000 })
    const synced = await syncSkills(controlledProject(here.reflex, here.opened))
    expect(synced).toEqual({ ...NOTHING, waiting: ['notes.writes@1.0.0'], failed: ['notes.reads@1.0.0'] })
    expect((await here.registry.list()).map(({ state }) => state.state)).toEqual(['candidate', 'tested'])
  })

  it('with a public key, a manifest without its signature is refused', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const good = (await sent(skillOf('reads'))) as { content_hash: string }
    const plane = await fakePlane({ cursor: 5, skills: [good] })
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const here = project({ url: plane.url, publicKey: pem, timeoutMs: 60_000 })
    const controlled = controlledProject(here.reflex, here.opened)
    expect((await syncSkills(controlled)).refused).toMatchObject([{ message: 'notes.reads@1.0.0: it has no signature' }])
    plane.answer = { cursor: 5, skills: [{ ...good, signature: sign(null, Buffer.from('f'.repeat(64)), privateKey).toString('base64') }] }
    expect((await syncSkills(controlled)).refused).toMatchObject([{ message: 'notes.reads@1.0.0: its signature does not fit' }])
    const signature = sign(null, Buffer.from(good.content_hash), privateKey).toString('base64')
    plane.answer = { cursor: 5, skills: [{ ...good, signature }] }
    expect((await syncSkills(controlled)).activated).toEqual(['notes.reads@1.0.0'])
  })
})

describe('a skill is promoted (skill 182)', () => {
  it('into an environment of the team, which until then says that it needs a promotion', async () => {
    const { server, here, controlled } = await team()
    await here.activate(skillOf('writes'))
    expect(await here.ran('notes.writes')).toEqual(['failed', 'policy.needs_promotion'])
    const asked = await askPromotion(controlled(), await here.registry.find('notes.writes'), { to: 'staging', by: 'ana' })
    expect(asked).toMatchObject({ status: 'passed', environments: [{ env: 'staging', unit: [1, 1] }] })
    expect(await here.ran('notes.writes')).toEqual(['completed', undefined])
    const again = await askPromotion(controlled(), await here.registry.find('notes.writes'), { to: 'staging', by: 'ana' })
    expect(again.promotion_id).toBe(asked.promotion_id)
    const found = await server.send('GET', `/v1/promotions/${asked.promotion_id}`)
    expect([found.status, found.json.status]).toEqual([200, 'passed'])
    expect((await server.send('GET', '/v1/promotions/none')).status).toBe(404)
  })

  it('is not, if it was not tested or has another text than was tested', async () => {
    const { server, here, controlled } = await team()
    const { skill } = await readSource(skillOf('writes'))
    if (skill === undefined) throw new Error('the skill is not valid')
    await here.registry.put(skill.manifest, skill.hash, 'file')
    const kept = await here.registry.find('notes.writes')
    await expect(askPromotion(controlled(), kept, { to: 'production', by: 'ana' })).rejects.toMatchObject({ code: 'R1492' })
    const report = { passed: true, unit: [1, 1], fuzz: [1, 1], security: true, delta_cost: 0 }
    const body = {
      sdk: 'x',
      project: 'acme',
      schema: 1,
      from_env: 'staging',
      to_env: 'production',
      requested_by: 'bo',
      skill: { id: 'notes.writes', version: '1.0.0', content_hash: 'a'.repeat(64) },
      ci_report: report,
      manifest: manifestJson(skill.manifest),
    }
    const { status, json } = await server.send('POST', '/v1/promotions', body)
    expect(status).toBe(202)
    const found = await server.send('GET', `/v1/promotions/${json.promotion_id as unknown as string}`)
    expect(found.json).toMatchObject({ status: 'failed', reason: 'notes.writes@1.0.0 has another text than the one that was tested' })
  })
})

describe('what skills did is reported (skill 183)', () => {
  it('as counts alone, once, also after a restart', async () => {
    const { server, here, controlled } = await team()
    await here.activate(skillOf('reads'))
    await askPromotion(controlled(), await here.registry.find('notes.reads'), { to: 'staging', by: 'ana' })
    await here.ran('notes.reads', 'canary-one')
    await here.ran('notes.reads', 'canary-two')
    expect(await reportUsage(controlled())).toBe(1)
    const usage = async () => (await server.send('GET', '/v1/telemetry?project=acme&env=staging')).json.skills
    expect(await usage()).toMatchObject([{ skill_id: 'notes.reads', version: '1.0.0', calls: 2, success: 2, denied: 0, fallback: 0 }])
    expect(await reportUsage(controlled())).toBe(0)
    expect(JSON.stringify(await server.reflex.store.ledger('skill-telemetry/acme/staging'))).not.toContain('canary')
  })

  it('as what it was, if nobody knows whether the report has arrived', async () => {
    const plane = await fakePlane({ status: 500, body: '' })
    const file = `${newFolder()}/reflex.db`
    const options = {
      store: file,
      skill: { project: 'acme', compat: { env: 'staging' }, controlPlane: { url: plane.url, timeoutMs: 60_000 } },
    }
    const first = project({ url: plane.url }, options)
    await first.activate(skillOf('reads'))
    await first.ran('notes.reads')
    await expect(reportUsage(controlledProject(first.reflex, first.opened))).rejects.toMatchObject({ code: 'R2170' })
    await first.reflex.close()
    plane.answer = {}
    const second = new Reflex({ workdir: newFolder(), ...options })
    onTestFinished(() => second.close())
    await reportUsage(controlledProject(second, projectRegistry(second, { version: '1.0.0' })))
    const reports = plane.asked.filter(({ path }) => path === '/v1/telemetry')
    expect(reports).toHaveLength(2)
    expect(reports[1]?.body).toBe(reports[0]?.body)
    expect(reports[1]?.headers['idempotency-key']).toBe(reports[0]?.headers['idempotency-key'])
    for (const { body } of reports) telemetry.parse(JSON.parse(body))
  })
})
