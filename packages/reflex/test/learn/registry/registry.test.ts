// proves: skill 7, skill 8, skill 16, skill 17, skill 175, skill 176, skill 177
import { describe, expect, it } from 'vitest'
import type { Json, Store } from '../../../src/kernel/index.ts'
import type { CompiledSkill } from '../../../src/kinds/skill/manifest/compiled.ts'
import type { KeptSkill } from '../../../src/learn/registry/kept-skill.ts'
import { SkillRegistry } from '../../../src/learn/registry/registry.ts'
import { memoryStore } from '../../../src/store/index.ts'
import { compiled, DEPLOY, withPart } from '../ci/world.ts'

const DAY = 86_400_000
const PASSED = { passed: true, unit: [1, 1], fuzz: [50, 50], security: true, delta_cost: 0 } as const
const FAILED = { ...PASSED, passed: false } as const
const LEDGER = 'skill/acme/staging'

class Place {
  readonly store: Store = memoryStore()
  at = Date.UTC(2026, 0, 1)
  #count = 0

  registry(sdk = '1'): SkillRegistry {
    const unique = () => `change${++this.#count}`
    return new SkillRegistry(this.store, { project: 'acme', env: 'staging', by: 'ana', sdk, now: () => this.at, unique })
  }

  async put(skill: CompiledSkill): Promise<KeptSkill> {
    await this.registry().put(skill.manifest, skill.hash, 'file')
    return this.registry().find(`${skill.manifest.id}@${skill.manifest.version}`)
  }

  async activate(skill: CompiledSkill): Promise<KeptSkill> {
    const registry = this.registry()
    await registry.tested(await this.put(skill), PASSED)
    const { id, version } = skill.manifest
    await registry.activate(await registry.find(`${id}@${version}`))
    return registry.find(`${id}@${version}`)
  }

  async uses(id: string, ended: readonly (readonly [number, number, boolean])[]): Promise<void> {
    await this.store.appendAll(LEDGER, `use${++this.#count}`, [{ name: `use/${id}`, value: { running: [], ended } }], this.at)
  }
}

const SKILL = compiled(DEPLOY)
const NEXT = compiled(withPart(DEPLOY, 'version', '1.1.0'))

describe('the registry of skills', () => {
  it('keeps a version for ever: the same text changes nothing, another one is refused (skill 7)', async () => {
    const place = new Place()
    await place.put(SKILL)
    const before = await place.store.ledger(LEDGER)
    await place.put(SKILL)
    expect(await place.store.ledger(LEDGER)).toEqual(before)
    const other = compiled(withPart(DEPLOY, 'title', 'another title'))
    await expect(place.put(other)).rejects.toMatchObject({ code: 'R1490', fix: 'give the manifest the next version' })
    expect((await place.registry().find('app.set_image')).manifest.title).toBe(SKILL.manifest.title)
  })

  it('changes no hash with states, tests and executions (skill 8)', async () => {
    const place = new Place()
    await place.activate(SKILL)
    await place.uses('app.set_image', [[place.at, 1, true]])
    await place.registry().retire(await place.registry().find('app.set_image'), 'quarantined', 'a test')
    expect((await place.registry().find('app.set_image')).hash).toBe(SKILL.hash)
  })

  it('does not offer a manifest whose stored text was changed (skill 16)', async () => {
    const place = new Place()
    await place.activate(SKILL)
    const manifest = { ...SKILL.manifest, description: 'changed by hand' } as unknown as Json
    const value = { hash: SKILL.hash, manifest, origin: 'file', at: 0, by: '' }
    await place.store.appendAll(LEDGER, 'by hand', [{ name: 'manifest/app.set_image@1.0.0', value }], place.at)
    const [kept] = await place.registry().list()
    expect(kept).toMatchObject({ share: 0, state: { state: 'quarantined', reason: 'its stored text does not have its hash' } })
    await expect(place.registry().activate(kept as KeptSkill)).rejects.toMatchObject({ code: 'R1491' })
  })

  it('gives all calls to a new version in one append; the one before is deprecated (skill 17)', async () => {
    const place = new Place()
    await place.activate(SKILL)
    const before = await place.store.ledger(LEDGER)
    const registry = place.registry()
    await registry.tested(await place.put(NEXT), PASSED)
    const count = (await place.store.ledger(LEDGER)).length
    await registry.activate(await registry.find('app.set_image@1.1.0'))
    const appended = (await place.store.ledger(LEDGER)).slice(count)
    expect(before.length).toBeLessThan(count)
    expect(appended.map(({ name }) => name)).toEqual(['active/app.set_image', 'state/app.set_image@1.1.0', 'state/app.set_image@1.0.0'])
    expect((await registry.find('app.set_image')).version).toBe('1.1.0')
    expect((await registry.find('app.set_image@1.0.0')).state).toMatchObject({ state: 'deprecated', reason: 'replaced by 1.1.0' })
  })

  it('gives a new version a share of the calls', async () => {
    const place = new Place()
    await place.activate(SKILL)
    const registry = place.registry()
    await registry.tested(await place.put(NEXT), PASSED)
    await registry.activate(await registry.find('app.set_image@1.1.0'), 0.25)
    expect((await registry.list()).map(({ version, share, state }) => [version, share, state.state])).toEqual([
      ['1.0.0', 0.75, 'active'],
      ['1.1.0', 0.25, 'active'],
    ])
  })

  it('activates only what has passed its tests: this text, with this major version of Reflex (skill 175)', async () => {
    const place = new Place()
    const kept = await place.put(SKILL)
    await expect(place.registry().activate(kept)).rejects.toMatchObject({ code: 'R1492', message: 'app.set_image@1.0.0 was never tested' })
    await place.registry('2').tested(kept, PASSED)
    const tested = await place.registry().find('app.set_image')
    await expect(place.registry().activate(tested)).rejects.toMatchObject({
      code: 'R1492',
      message: expect.stringContaining('another version of Reflex') as string,
    })
    await place.registry().tested(tested, FAILED)
    await expect(place.registry().activate(await place.registry().find('app.set_image'))).rejects.toMatchObject({
      code: 'R1492',
      message: expect.stringContaining('has failed') as string,
    })
    // The tests of another text do not count for this one.
    await place.registry().tested(await place.put(NEXT), PASSED)
    await expect(place.registry().activate(await place.registry().find('app.set_image@1.0.0'))).rejects.toMatchObject({ code: 'R1492' })
    await place.registry().activate(await place.registry().find('app.set_image@1.1.0'))
  })

  it('lets a skill out of quarantine only with new tests and an approval', async () => {
    const place = new Place()
    const active = await place.activate(SKILL)
    const registry = place.registry()
    await registry.retire(active, 'quarantined', 'an undo has failed')
    await expect(registry.activate(await registry.find('app.set_image'))).rejects.toMatchObject({
      code: 'R1491',
      fix: 'test it again: reflex skill test',
    })
    await registry.tested(await registry.find('app.set_image'), PASSED)
    await registry.activate(await registry.find('app.set_image'))
    expect((await registry.find('app.set_image')).state.state).toBe('active')
  })

  it('names a skill that is missing, and one that is spelt nearly so', async () => {
    const place = new Place()
    await place.put(SKILL)
    await expect(place.registry().find('app.set_imgae')).rejects.toMatchObject({
      code: 'R1493',
      message: expect.stringContaining('did you mean "app.set_image"?') as string,
    })
    await expect(place.registry().find('app.set_image@9.0.0')).rejects.toMatchObject({ code: 'R1493', fix: 'it has 1.0.0' })
  })

  it('refuses a registry that a newer Reflex has written', async () => {
    const place = new Place()
    await place.store.appendAll(LEDGER, 'newer', [{ name: 'format', value: { v: 2 } }], place.at)
    await expect(place.registry().list()).rejects.toMatchObject({ code: 'R1494' })
    await expect(place.put(SKILL)).rejects.toMatchObject({ code: 'R1494' })
  })

  it('keeps the texts of prompts with the manifest', async () => {
    const place = new Place()
    const skill = compiled({
      ...DEPLOY,
      llm_support: { parsers: [{ name: 'p', model: 'm', prompt_ref: 'prompts/app', outputs: ['app'] }] },
    })
    await place.registry().put(skill.manifest, skill.hash, 'file', { 'prompts/app': 'Which app?' })
    expect(await place.registry().prompts(skill.manifest)).toEqual({ 'prompts/app': 'Which app?' })
    expect(await place.registry().prompts(SKILL.manifest)).toEqual({})
  })
})

describe('eviction (skill 176)', () => {
  const stateOf = async (place: Place) => (await place.registry().find('app.set_image@1.0.0')).state

  it('deprecates what is hardly used after its first days, and evicts it a week later; its manifest stays', async () => {
    const place = new Place()
    await place.activate(SKILL)
    place.at += 14 * DAY - 1
    expect(await place.registry().sweep()).toEqual({ changes: [] })
    place.at += 1
    await place.uses('app.set_image', [
      ...[1, 2, 3, 4].map((day) => [place.at - day * DAY, 1, true] as const),
      [place.at - 8 * DAY, 1, true],
    ])
    await place.registry().sweep()
    expect(await stateOf(place)).toMatchObject({ state: 'deprecated', reason: 'it was used 4 times in the last 7 days, fewer than 5' })
    place.at += 7 * DAY
    await place.registry().sweep()
    expect(await stateOf(place)).toMatchObject({ state: 'evicted' })
    expect((await place.registry().find('app.set_image@1.0.0')).manifest).toEqual(SKILL.manifest)
  })

  it('leaves what is used often enough, and what is kept by its manifest', async () => {
    const place = new Place()
    await place.activate(SKILL)
    await place.activate(compiled({ ...DEPLOY, id: 'app.kept', x_keep: true }))
    place.at += 30 * DAY
    await place.uses(
      'app.set_image',
      [1, 2, 3, 4, 5].map((day) => [place.at - day * DAY, 1, true] as const),
    )
    expect((await place.registry().sweep()).changes).toEqual([])
  })

  it('deprecates what fails its tests twice in a row', async () => {
    const place = new Place()
    await place.activate(SKILL)
    const registry = place.registry()
    await registry.tested(await registry.find('app.set_image'), FAILED)
    expect((await registry.sweep()).changes).toEqual([])
    await registry.tested(await registry.find('app.set_image'), FAILED)
    expect((await registry.sweep()).changes).toMatchObject([{ to: 'deprecated', reason: 'its last 2 tests have failed' }])
  })

  it('keeps at most 500 active skills: the one that saves the least goes, and 400 are a warning (skill 177)', async () => {
    const { planEvictions } = await import('../../../src/learn/registry/eviction.ts')
    const now = Date.UTC(2026, 5, 1)
    const skill = (index: number, saves: number) =>
      ({
        id: `s${index}`,
        version: '1.0.0',
        state: { state: 'active', reason: '', since: now - DAY, by: '' },
        manifest: { extra: {}, provenance: { delta_cost: -saves } },
        use: { running: [], ended: [[now - 1, 1, true]] },
      }) as unknown as KeptSkill
    const many = (count: number) => Array.from({ length: count }, (_, index) => skill(index, index === 321 ? 0 : 0.5))
    expect(planEvictions(many(399), now)).toEqual({ changes: [] })
    expect(planEvictions(many(400), now)).toEqual({ changes: [], warning: '400 of at most 500 skills are active' })
    const { changes } = planEvictions(many(501), now)
    expect(changes.map(({ skill: { id }, to }) => [id, to])).toEqual([['s321', 'deprecated']])
  })
})
