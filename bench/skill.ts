import { readFileSync } from 'node:fs'
import { readSkill } from '../packages/reflex/src/kinds/skill/manifest/read-skill.ts'
import type { Line } from './measure.ts'

const MANIFESTS = 500
const ROUNDS = 5

/** Loading the manifests of a registry: each is read, checked, compiled and hashed (reference skill, checklist 19). Prints the median. */
export function skills(line: Line): void {
  const sample = readFileSync(new URL('../cases/skill/samples/seed/deploy.skill.json', import.meta.url), 'utf8')
  const texts = Array.from({ length: MANIFESTS }, (_, i) => sample.replace('"deploy.container.appservice"', `"deploy.container.app${i}"`))
  const times = Array.from({ length: ROUNDS }, () => {
    const begin = performance.now()
    const loaded = texts.filter((text) => readSkill(text).skill !== undefined).length
    if (loaded !== MANIFESTS) throw new Error(`${MANIFESTS - loaded} manifests were refused`)
    return performance.now() - begin
  }).toSorted((a, b) => a - b)
  line(`${MANIFESTS} skills, read and compiled`, `${(times[Math.floor(ROUNDS / 2)] ?? 0).toFixed(0)} ms`, 'aim 1,000 ms')
}
