import type { Driver } from './driver.ts'

/** Tests that an agent of a framework behaves within a turn as reference skill 1.14 says, in each of its modes. */
export function conformance(_driver: Driver): void {}
