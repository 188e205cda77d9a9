// The page of a static site that says what GPUs the browser offers, as `nacre doctor` does of a machine.

import './style/page.css';
import './style/devices.css';
import { devicesPage } from './devices/page';
import { startTheme } from './theme';

startTheme();
void devicesPage().then((dom) => {
  document.body.append(dom);
  document.body.dataset.ready = 'yes';
});
