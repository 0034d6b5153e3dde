//! Flows that share resources: how fast each of several concurrent transfers goes.
//!
//! A flow needs a known amount of work, in seconds, of each of its resources: ports of ranks, cores, network
//! interfaces. Alone it takes as long as the largest of them. A resource is overloaded if its flows, each at
//! its pace alone, need more than a second of work per second. A flow is slowed down by the largest overload
//! factor of its resources.
//!
//! So no resource ever does more than it can, equal flows get equal shares, and a flow that is slow for other
//! reasons takes no more than it can use. A share that a flow leaves unused because it is slowed down
//! elsewhere is not given to others. Max-min fairness would do that, at the price of a global problem per
//! event.

/// Upper limit of the resources of one flow: two ports, two cores, two interfaces.
pub(super) const MOST_USES: usize = 6;

/// Work that one flow needs of one resource.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Use {
    pub resource: u32,
    pub seconds: f64,
}

#[derive(Debug, Default)]
struct Resource {
    /// The active flows, and the part of this resource's time that each needs at its own pace.
    active: Vec<(u32, f64)>,
    load: f64,
    is_stale: bool,
}

#[derive(Debug)]
struct Flow {
    uses: [Use; MOST_USES],
    used: u8,
    is_live: bool,
    /// Seconds that the flow would take alone.
    alone: f64,
    /// Part of the flow that is not done at `since`.
    left: f64,
    since: f64,
    rate: f64,
    /// Version of the current forecast; forecasts with another version are outdated.
    version: u32,
}

/// The time when a flow will end if nothing changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Forecast {
    pub flow: u32,
    pub version: u32,
    pub end: f64,
}

/// All flows that are under way.
#[derive(Debug)]
pub(super) struct Fluid {
    resources: Vec<Resource>,
    flows: Vec<Flow>,
    /// Indices of unused entries in `flows`.
    free: Vec<u32>,
    /// Flows that ended since the last `settle`; they are still in the lists of their resources.
    ended: Vec<u32>,
    begun: Vec<u32>,
    stale: Vec<u32>,
}

impl Fluid {
    pub fn new(resources: usize) -> Fluid {
        let resources = (0..resources).map(|_| Resource::default()).collect();
        Fluid {
            resources,
            flows: Vec::new(),
            free: Vec::new(),
            ended: Vec::new(),
            begun: Vec::new(),
            stale: Vec::new(),
        }
    }

    /// Adds a flow, whose `works` are all above zero. The next [`Fluid::settle`] makes its first forecast.
    pub fn begin(&mut self, works: &[Use], now: f64) -> u32 {
        debug_assert!(!works.is_empty(), "a flow without work takes no time");
        let (mut uses, used) = ([Use::default(); MOST_USES], works.len());
        uses[..used].copy_from_slice(works);
        let alone = works.iter().map(|work| work.seconds).fold(0.0, f64::max);
        let version = self.free.last().map_or(0, |&flow| self.flows[flow as usize].version + 1);
        let flow =
            Flow { uses, used: used as u8, is_live: true, alone, left: 1.0, since: now, rate: 0.0, version };
        let at = match self.free.pop() {
            Some(at) => {
                self.flows[at as usize] = flow;
                at
            }
            None => {
                self.flows.push(flow);
                self.flows.len() as u32 - 1
            }
        };
        for work in &uses[..used] {
            self.resources[work.resource as usize].active.push((at, work.seconds / alone));
            self.touch(work.resource);
        }
        self.begun.push(at);
        at
    }

    /// Whether a forecast still holds.
    pub fn is_current(&self, flow: u32, version: u32) -> bool {
        let flow = &self.flows[flow as usize];
        flow.is_live && flow.version == version
    }

    /// Removes a flow.
    pub fn end(&mut self, flow: u32) {
        let ended = &mut self.flows[flow as usize];
        ended.is_live = false;
        let (uses, used) = (ended.uses, ended.used as usize);
        for work in &uses[..used] {
            self.touch(work.resource);
        }
        self.ended.push(flow);
    }

    /// Shares the resources anew, and passes changed forecasts to `tell`.
    pub fn settle(&mut self, now: f64, mut tell: impl FnMut(Forecast)) {
        let mut affected = std::mem::take(&mut self.begun);
        for resource in std::mem::take(&mut self.stale) {
            let resource = &mut self.resources[resource as usize];
            let before = std::mem::take(&mut resource.load);
            let flows = &self.flows;
            resource.active.retain(|&(flow, _)| flows[flow as usize].is_live);
            resource.load = resource.active.iter().map(|&(_, share)| share).sum();
            resource.is_stale = false;
            if resource.load.max(1.0) != before.max(1.0) {
                affected.extend(resource.active.iter().map(|&(flow, _)| flow));
            }
        }
        for flow in affected {
            self.update(flow, now, &mut tell);
        }
        self.free.append(&mut self.ended);
    }

    fn update(&mut self, at: u32, now: f64, tell: &mut impl FnMut(Forecast)) {
        let flow = &mut self.flows[at as usize];
        if !flow.is_live {
            return;
        }
        let uses = &flow.uses[..flow.used as usize];
        let slowed = uses.iter().map(|work| self.resources[work.resource as usize].load).fold(1.0, f64::max);
        let rate = 1.0 / (flow.alone * slowed);
        if rate == flow.rate {
            return;
        }
        flow.left = (flow.left - flow.rate * (now - flow.since)).max(0.0);
        (flow.since, flow.rate) = (now, rate);
        flow.version += 1;
        tell(Forecast { flow: at, version: flow.version, end: now + flow.left / rate });
    }

    fn touch(&mut self, resource: u32) {
        let touched = &mut self.resources[resource as usize];
        if !touched.is_stale {
            touched.is_stale = true;
            self.stale.push(resource);
        }
    }
}
