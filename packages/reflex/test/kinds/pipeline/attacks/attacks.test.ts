import { describe, expect, test } from 'vitest'
import { noSandbox } from '../../../tools/workshop.ts'
import { type Attack, attacks } from './attack.ts'
import { type Came, shows, untold } from './came.ts'
import { runOn, WHOLE } from './composed.ts'
import { runByDoor } from './front-door.ts'
import { type Ground, groundFor } from './ground.ts'
import { without } from './protections.ts'

const missing = await noSandbox()

/** Runs an attack on a ground of its own; whether it has succeeded, and what is wrong with how that was told. */
async function tried(
  attack: Attack,
  run: (ground: Ground) => Promise<Came>,
): Promise<{ succeeds: boolean; untold: string | undefined; came: Came }> {
  await using ground = await groundFor(attack)
  const came = await run(ground)
  return { succeeds: await shows(attack.sign, came, ground), untold: untold(attack.told, came), came }
}

describe.for(attacks())('$name', (attack) => {
  const { tries, guard, sandbox = false } = attack
  const guards = [guard].flat()
  const lacks = sandbox && missing !== undefined

  // proves: pipeline 5.1d, pipeline 5.3f, pipeline 5.6a, pipeline 5.6d, pipeline 5.6h, pipeline 4.9c, pipeline 4.5f, pipeline 3.11g
  // proves: pipeline 10.3d, pipeline 4.3.1f, pipeline 4.6.3d, pipeline 4.7b
  test.skipIf(lacks)(`is stopped, and told: ${tries}`, async () => {
    const [door, whole] = await Promise.all([
      tried(attack, (ground) => runByDoor(attack, ground)),
      tried(attack, (ground) => runOn(attack, ground, WHOLE)),
    ])
    expect(door).toMatchObject({ succeeds: false, untold: undefined })
    expect(whole).toMatchObject({ succeeds: false, untold: undefined })
  })

  test.skipIf(lacks)(`succeeds without ${guards.join(' and ')}`, async () => {
    const bare = await tried(attack, (ground) => runOn(attack, ground, without(WHOLE, guards)))
    expect(bare.succeeds, JSON.stringify([bare.came.status, bare.came.fault.message, bare.came.remarks.slice(-6)])).toBe(true)
  })
})
