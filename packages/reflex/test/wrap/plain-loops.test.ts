// proves: skill 96, skill 97, skill 98, skill 99, skill 101, skill 102, skill 103, skill 104, skill 105, skill 106, skill 111, skill 112
import { conformance } from './conformance.ts'
import { PLAIN_LOOPS } from './drivers/plain-loops.ts'

for (const driver of PLAIN_LOOPS) conformance(driver)
