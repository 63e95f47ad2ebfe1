import { conformance } from '../conformance.ts'
import { DRIVERS } from './drivers.ts'

for (const driver of DRIVERS) conformance(driver)
